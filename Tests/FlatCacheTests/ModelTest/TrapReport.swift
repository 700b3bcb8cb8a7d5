import Foundation

/// Names the seed and the operations if the process traps in the middle of a sequence: invariants
/// and preconditions end the process, so that nobody can report a failure afterwards.
enum TrapReport {
    // Written by the one test that uses this; read by the signal's handler on the thread that runs
    // it.
    nonisolated(unsafe) private static var seed: UInt64 = 0
    nonisolated(unsafe) private static var operations: [any CustomStringConvertible] = []
    nonisolated(unsafe) private static var isRunning = false
    // Other tests may trap meanwhile.
    nonisolated(unsafe) private static var thread = pthread_self()
    nonisolated(unsafe) private static var previousActions: [Int32: sigaction] = [:]

    /// Runs a closure that performs the sequence of a seed.
    static func during<Result>(_ seed: UInt64, _ body: () -> Result) -> Result {
        self.seed = seed
        beginSequence()
        isRunning = true
        thread = pthread_self()
        install()
        defer {
            isRunning = false
            uninstall()
        }
        return body()
    }

    static func beginSequence() { operations = [] }

    static func willPerform(_ operation: some CustomStringConvertible) {
        operations.append(operation)
    }

    private static func install() {
        for number in [SIGILL, SIGTRAP, SIGSEGV, SIGABRT] {
            var previous = sigaction()
            sigaction(number, nil, &previous)
            previousActions[number] = previous
            signal(number) { TrapReport.report($0) }
        }
    }

    private static func uninstall() {
        for (number, var previous) in previousActions { sigaction(number, &previous, nil) }
    }

    // A trap is raised by the instruction that the thread executes, so this may allocate, unless
    // that was itself in the allocator. Returning executes the instruction again, with the previous
    // action.
    private static func report(_ number: Int32) {
        uninstall()
        guard isRunning, pthread_equal(thread, pthread_self()) != 0 else { return }
        isRunning = false
        let operations = operations.map { "\($0)\n" }.joined()
        let text = """

            The model test trapped with \(ModelSettings.seedVariable)=\(seed), in the last of:
            \(operations)
            """
        FileHandle.standardError.write(Data(text.utf8))
    }
}
