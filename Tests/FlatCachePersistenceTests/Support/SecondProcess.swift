import Foundation

/// A real second process, which does what `PersistenceProbe` is told to.
final class SecondProcess: @unchecked Sendable {
    // Used by one thread at a time: that of its test.

    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var unread = Data()

    /// Starts the probe, and waits until it says that it is ready if it is to say so.
    init(_ arguments: [String], environment: [String: String] = [:]) throws {
        process.executableURL = try Self.probe()
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }

    /// The next line that the probe says; `nil` when it has ended.
    func line() -> String? {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: unread[unread.startIndex..<end], as: UTF8.self)
                unread = Data(unread[unread.index(after: end)...])
                return line
            }
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { return nil }
            unread += more
        }
    }

    /// All lines that the probe says until it ends.
    func lines() -> [String] {
        var lines: [String] = []
        while let line = line() { lines.append(line) }
        return lines
    }

    /// Lets the probe go on that waits for a line.
    func goOn() { input.fileHandleForWriting.write(Data("\n".utf8)) }

    /// Ends the probe at once, whatever it does.
    func killAtOnce() {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Waits for the probe's end; returns its exit status.
    func wait() -> Int32 {
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// The probe, which is built beside the tests.
    private static func probe() throws -> URL {
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
            let file = candidate.appending(path: "PersistenceProbe")
            if FileManager.default.isExecutableFile(atPath: file.path) { return file }
        }
        throw MissingProbe()
    }

    private struct MissingProbe: Error {}
}
