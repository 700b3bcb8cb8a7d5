import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests that a load without callers doesn't forget the failure of a later one.
@Suite(.timeLimit(.minutes(15)))
struct CancelledLoadFailuresTests {
    private struct Failure: Error, Equatable {}

    /// An entity or a response that counts its releases.
    private final class Page: Identifiable, Sendable {
        let id = 1
        private let onRelease: @Sendable () -> Void

        init(onRelease: @escaping @Sendable () -> Void = {}) { self.onRelease = onRelease }

        deinit { onRelease() }
    }

    private let cache = Cache()
    private let began = Recorder<Bool>()
    private let released = Recorder<Bool>()

    private func load(
        isRequest: Bool,
        _ fetch: @escaping @Sendable () async throws -> Page
    ) async throws {
        if isRequest {
            _ = try await cache.load("page", rememberingFailures: .seconds(30), fetch)
        } else {
            _ = try await cache.load(Page.self, id: 1, rememberingFailures: .seconds(30), fetch)
        }
    }

    @Test(arguments: [false, true])
    func answerOfACancelledLoadForgetsNoFailure(isRequest: Bool) async throws {
        let gate = AsyncStream<Void>.makeStream()
        let cancelled = Task {
            try await load(isRequest: isRequest) { [began, released] in
                began.append(true)
                // The request ignores the cancellation.
                await Task.detached { for await _ in gate.stream { break } }.value
                return Page { released.append(true) }
            }
        }
        #expect(await until { began.count == 1 })
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        await #expect(throws: Failure()) {
            try await load(isRequest: isRequest) { throw Failure() }
        }
        gate.continuation.yield()
        #expect(await until { released.count == 1 })
        await #expect(throws: Failure()) { try await load(isRequest: isRequest) { Page() } }
    }
}
