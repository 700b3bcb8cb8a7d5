import FlatCache
import Foundation

/// A report to standard error if the process traps during a random test.
///
/// Invariants and preconditions end the process, so no test can record a failure afterwards. The
/// report names the seed, and the operations if the test announces them.
package enum TrapReport {
    private struct Run {
        let seeds: [Seed]
        var operations: [any CustomStringConvertible & Sendable] = []

        var description: String {
            let list = operations.map { "\n\($0)" }.joined()
            return seeds.map { "\($0)" }.joined(separator: " or ")
                + (list.isEmpty ? "" : ", in the last of these operations:\(list)")
        }
    }

    private struct State {
        var runs: [Int: Run] = [:]
        var lastNumber = 0
        /// A Boolean value that indicates whether a signal has been reported.
        var hasReported = false
    }

    private static let state = Locked(State())
    /// The number of the run that the current task or thread belongs to.
    @TaskLocal private static var current: Int?
    // Written before the handlers are installed, and read by them.
    nonisolated(unsafe) private static var previousActions: [Int32: sigaction] = [:]

    /// Runs a closure that performs the test with one of the seeds.
    package static func during<Result>(
        _ seeds: [Seed],
        _ body: () throws -> Result
    ) rethrows -> Result {
        let number = begin(seeds)
        defer { end(number) }
        return try $current.withValue(number, operation: body)
    }

    /// Runs an asynchronous closure that performs the test with one of the seeds.
    package static func during<Result>(
        _ seeds: [Seed],
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Result
    ) async rethrows -> Result {
        let number = begin(seeds)
        defer { end(number) }
        return try await $current.withValue(number, operation: body, isolation: isolation)
    }

    /// Adds an operation to the list of the current run.
    package static func willPerform(_ operation: some CustomStringConvertible & Sendable) {
        guard let current else { return }
        state.withLock { $0.runs[current]?.operations.append(operation) }
    }

    /// Empties the list of operations of the current run.
    package static func restart() {
        guard let current else { return }
        state.withLock { $0.runs[current]?.operations = [] }
    }

    private static func begin(_ seeds: [Seed]) -> Int {
        installHandlers
        return state.withLock { state in
            state.lastNumber += 1
            state.runs[state.lastNumber] = Run(seeds: seeds)
            return state.lastNumber
        }
    }

    private static func end(_ number: Int) {
        state.withLock { $0.runs[number] = nil }
    }

    private static let installHandlers: Void = {
        for number in [SIGILL, SIGTRAP, SIGSEGV, SIGABRT] {
            var previous = sigaction()
            sigaction(number, nil, &previous)
            previousActions[number] = previous
        }
        for number in previousActions.keys { signal(number) { TrapReport.report($0) } }
    }()

    // A trap is raised by the instruction that the thread executes, so this function may allocate,
    // unless the trap is in the allocator. When the function returns, the thread executes the
    // instruction again, with the previous action.
    private static func report(_ number: Int32) {
        for (number, var previous) in previousActions { sigaction(number, &previous, nil) }
        let runs = state.withLock { state in
            defer { state.hasReported = true }
            return state.hasReported ? [:] : state.runs
        }
        guard !runs.isEmpty else { return }
        let text =
            if let current, let run = runs[current] {
                "A random test trapped with \(run.description)"
            } else {
                "The process trapped, perhaps in a thread of one of these random tests:\n"
                    + runs.sorted { $0.key < $1.key }
                    .map { $0.value.description }.joined(separator: "\n")
            }
        FileHandle.standardError.write(Data("\n\(text)\n".utf8))
    }
}
