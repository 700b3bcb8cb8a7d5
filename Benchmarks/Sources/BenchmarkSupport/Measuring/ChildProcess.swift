public import Foundation

/// Runs this program once more, or another one, in a process of its own.
public enum ChildProcess {
    /// A child that did not end well.
    public struct Failure: Error, CustomStringConvertible {
        /// The child's exit status, or the number of the signal that ended it.
        public let status: Int32

        /// The status in words.
        public var description: String { "A child process ended with status \(status)." }
    }

    private static let childVariable = "FLATCACHE_BENCHMARKS_CHILD"

    /// Ends this process when the one ends that has started it, however that ends; a program calls
    /// this first.
    ///
    /// A child that was left over would go on and disturb whatever is measured next.
    public static func endWithParent() {
        guard ProcessInfo.processInfo.environment[childVariable] != nil else { return }
        Threads.start {
            // The parent holds the other end and writes nothing: this returns when it has gone.
            _ = try? FileHandle.standardInput.readToEnd()
            exit(1)
        }
    }

    /// Returns what this program, run once more, writes to its standard output.
    ///
    /// - Parameters:
    ///   - arguments: The child's arguments.
    ///   - environment: The child's environment, or `nil` for that of this process.
    public static func output(
        arguments: [String],
        environment: [String: String]? = nil
    ) throws -> Data {
        let program = Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
        var environment = environment ?? ProcessInfo.processInfo.environment
        environment[childVariable] = "1"
        return try output(of: program, arguments: arguments, environment: environment)
    }

    /// Returns what a program writes to its standard output.
    static func output(
        of program: URL,
        arguments: [String],
        environment: [String: String]? = nil
    ) throws -> Data {
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        if let environment { process.environment = environment }
        let output = Pipe()
        process.standardOutput = output
        let lifeline = Pipe()
        process.standardInput = lifeline
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        withExtendedLifetime(lifeline) {}
        guard process.terminationStatus == 0 else {
            throw Failure(status: process.terminationStatus)
        }
        return data
    }
}
