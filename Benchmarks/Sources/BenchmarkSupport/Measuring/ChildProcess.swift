public import Foundation

/// Runs this program again, or another one, in a process of its own.
public enum ChildProcess {
    /// The error of a child process that failed.
    public struct Failure: Error, CustomStringConvertible {
        /// The child's exit status, or the number of the signal that ended it.
        public let status: Int32

        /// The status in words.
        public var description: String { "A child process ended with status \(status)." }
    }

    private static let childVariable = "FLATCACHE_BENCHMARKS_CHILD"

    /// Ends this process when its parent process ends, for whatever reason.
    ///
    /// A program calls this first.
    ///
    /// A child process that outlived its parent would disturb later measurements.
    public static func endWithParent() {
        guard ProcessInfo.processInfo.environment[childVariable] != nil else { return }
        Threads.start {
            // The parent holds the other end and writes nothing, so this returns when the parent
            // has ended.
            _ = try? FileHandle.standardInput.readToEnd()
            exit(1)
        }
    }

    /// Runs this program again and returns its standard output.
    ///
    /// - Parameters:
    ///   - arguments: The child's arguments.
    ///   - environment: The child's environment, or `nil` to inherit this process's.
    public static func output(
        arguments: [String],
        environment: [String: String]? = nil
    ) throws -> Data {
        let program = Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
        var environment = environment ?? ProcessInfo.processInfo.environment
        environment[childVariable] = "1"
        return try output(of: program, arguments: arguments, environment: environment)
    }

    /// Runs a program and returns its standard output.
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
