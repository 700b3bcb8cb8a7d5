package import Foundation

/// A real second process, which executes a program of the package, such as `PersistenceProbe`.
package final class SecondProcess: @unchecked Sendable {
    // Used by one thread at a time, the thread of its test.

    private let process: ChildProcess
    private var unread = Data()

    /// Starts a probe.
    ///
    /// - Parameters:
    ///   - arguments: The arguments of the probe.
    ///   - probe: The name of the probe.
    ///   - launcher: A command that replaces itself by the probe, such as `ip netns exec a`.
    ///   - environment: The variables that are added to those of this process.
    package init(
        _ arguments: [String],
        of probe: String = "PersistenceProbe",
        through launcher: [String] = [],
        environment: [String: String] = [:]
    ) throws {
        let command = try launcher + [Self.executable(probe).path] + arguments
        process = try ChildProcess(
            command[0],
            Array(command.dropFirst()),
            environment: environment
        )
    }

    /// Returns the next line of the probe, or `nil` if the probe has ended.
    package func line() -> String? {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: unread[unread.startIndex..<end], as: UTF8.self)
                unread = Data(unread[unread.index(after: end)...])
                return line
            }
            let more = process.output.availableData
            if more.isEmpty { return nil }
            unread += more
        }
    }

    /// Returns all lines until the end of the probe.
    package func lines() -> [String] {
        var lines: [String] = []
        while let line = line() { lines.append(line) }
        return lines
    }

    /// Sends the line that the probe waits for, unless the probe has ended.
    package func goOn() { write("\n") }

    /// Writes to the input of the probe, unless the probe has ended.
    package func write(_ text: String) {
        // The signal would end this process, with all tests.
        signal(SIGPIPE, SIG_IGN)
        try? process.input.write(contentsOf: Data(text.utf8))
    }

    /// Stops the probe until `resume()`.
    package func suspend() { _ = kill(process.identifier, SIGSTOP) }

    package func resume() { _ = kill(process.identifier, SIGCONT) }

    /// Kills the probe.
    package func killAtOnce() { process.kill() }

    /// Waits for the end of the probe, and returns its exit status.
    package func wait() -> Int32 { process.wait() }

    /// Returns the executable of a probe, which is built beside the tests.
    package static func executable(_ name: String) throws -> URL {
        var folder = Bundle.main.bundleURL
        let candidates =
            [
                URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent(),
                Bundle.main.executableURL?.deletingLastPathComponent(), folder,
            ]
            + (0..<5).map { _ in
                folder.deleteLastPathComponent()
                return folder
            }
        for candidate in candidates.compactMap(\.self) {
            let file = candidate.appending(path: name)
            if FileManager.default.isExecutableFile(atPath: file.path) { return file }
        }
        throw MissingProbe(name: name)
    }

    private struct MissingProbe: Error {
        let name: String
    }
}
