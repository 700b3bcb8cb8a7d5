import FlatCache
package import Foundation

/// Another process, with pipes to its standard input and output.
///
/// Foundation's `Process` lists the open files before it starts a program. On Linux, it reads
/// beyond the end of the list's buffer if about 1,300 are open, as they may be while tests run in
/// parallel.
package final class ChildProcess: Sendable {
    /// The handle that writes to the process.
    package let input: FileHandle
    /// The handle that reads the output of the process.
    package let output: FileHandle
    package let identifier: pid_t
    private let status: Locked<Int32?>
    private let end: RunningThread

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - executable: The path of the program.
    ///   - arguments: The arguments after the program's name.
    ///   - environment: The variables that are added to those of this process, or replace them.
    package init(
        _ executable: String,
        _ arguments: [String] = [],
        environment: [String: String] = [:]
    ) throws {
        let (input, output) = (Pipe(), Pipe())
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        var attributes: posix_spawnattr_t?
        #else
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        for (handle, number) in [(input.fileHandleForReading, 0), (output.fileHandleForWriting, 1)]
        {
            posix_spawn_file_actions_adddup2(&actions, handle.fileDescriptor, Int32(number))
        }
        // No other pipe may stay open in the process, or its reader would wait for the end.
        #if canImport(Darwin)
        posix_spawn_file_actions_addinherit_np(&actions, 2)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_CLOEXEC_DEFAULT))
        #else
        // Glibc's header hides the function from Swift.
        typealias CloseFrom =
            @convention(c) (
                UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32
            ) -> Int32
        if let function = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np") {
            _ = unsafeBitCast(function, to: CloseFrom.self)(&actions, 3)
        }
        #endif

        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        var strings = ([executable] + arguments).map { strdup($0) } + [nil]
        var settings = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for string in strings + settings { free(string) } }
        var identifier = pid_t()
        let code = posix_spawn(
            &identifier,
            executable,
            &actions,
            &attributes,
            &strings,
            &settings
        )
        guard code == 0 else { throw SpawnError(executable: executable, code: code) }
        try input.fileHandleForReading.close()
        try output.fileHandleForWriting.close()

        let status = Locked<Int32?>(nil)
        self.input = input.fileHandleForWriting
        self.output = output.fileHandleForReading
        self.identifier = identifier
        self.status = status
        // A process that has ended must not wait for long, or the exit tests would wait with it.
        end = RunningThread { [identifier] in
            var value: Int32 = 0
            while waitpid(identifier, &value, 0) == -1, errno == EINTR {}
            status.withLock { $0 = value }
        }
    }

    /// Kills the process, if it's running.
    deinit { kill() }

    /// Kills the process, if it's running, and waits for its end.
    package func kill() {
        if status.withLock({ $0 == nil }) { _ = Foundation.kill(identifier, SIGKILL) }
        _ = end.wait()
    }

    /// Waits for the end of the process.
    ///
    /// - Returns: The exit status, or the number of the signal that ended the process.
    @discardableResult
    package func wait() -> Int32 {
        _ = end.wait()
        let value = status.withLock { $0 } ?? 0
        return value & 0x7f == 0 ? value >> 8 & 0xff : value & 0x7f
    }

    /// Returns the output of the process until its end.
    package func outputToEnd() -> Data { output.readDataToEndOfFile() }

    private struct SpawnError: Error, CustomStringConvertible {
        let executable: String
        let code: Int32

        var description: String { "\(executable): \(String(cString: strerror(code)))" }
    }
}
