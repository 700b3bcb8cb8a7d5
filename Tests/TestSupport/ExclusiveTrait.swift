package import Testing

/// A trait of tests that block threads, or of their suites.
///
/// Of all tests with the trait, one runs at a time. Tasks need the threads that such a test blocks,
/// and threads that spin for one another need a processor each.
package struct ExclusiveTrait: SuiteTrait, TestTrait, TestScoping {
    private static let turn = Turn()

    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing body: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await body() }
        await Self.turn.begin()
        do {
            try await body()
        } catch {
            await Self.turn.end()
            throw error
        }
        await Self.turn.end()
    }
}

extension Trait where Self == ExclusiveTrait {
    /// Runs the test, or each test of the suite, while no other test with this trait runs.
    package static var exclusive: Self { Self() }
}

/// A turn that tasks take one after another.
private actor Turn {
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func begin() async {
        if isTaken { return await withCheckedContinuation { waiting.append($0) } }
        isTaken = true
    }

    func end() {
        if waiting.isEmpty {
            isTaken = false
        } else {
            waiting.removeFirst().resume()
        }
    }
}
