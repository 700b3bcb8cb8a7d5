#if canImport(CPostgres)
import Foundation

@testable import FlatCachePostgres

/// A program that runs to its end.
///
/// Foundation's `Process` would wait for the end of the servers that it starts, too.
enum Command {
    /// Runs a command; throws if it fails.
    static func run(_ words: String...) throws { try run(words) }

    static func run(_ words: [String]) throws {
        let status = try status(of: words)
        guard status == 0 else {
            throw PostgresGraphError(.failed, "\(words) ended with the status \(status).")
        }
    }

    /// Runs a command, and returns its status.
    static func status(of words: [String], input: Int32? = nil) throws -> Int32 {
        let process = try spawn(words, input: input)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 {
            if errno != EINTR { throw PostgresGraphError(.failed, "waitpid failed: \(errno)") }
        }
        return status
    }

    private static func spawn(_ words: [String], input: Int32?) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let input {
            posix_spawn_file_actions_adddup2(&actions, input, 0)
        } else {
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        }
        for output in [1, 2] as [Int32] {
            posix_spawn_file_actions_addopen(&actions, output, "/dev/null", O_WRONLY, 0)
        }
        var process = pid_t()
        let arguments = words.map { strdup($0) } + [nil]
        let variables = ["PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C", "PGCTLTIMEOUT=600"]
        let environment = variables.map { strdup($0) } + [nil]
        defer { for text in arguments + environment { free(text) } }
        let status = posix_spawn(&process, words[0], &actions, nil, arguments, environment)
        guard status == 0 else {
            throw PostgresGraphError(.failed, "\(words[0]) can't be started: \(status)")
        }
        return process
    }
}

/// A command that runs when the object is released or the process ends, however it ends.
final class Keeper: Sendable {
    /// The end of the pipe that a shell reads until this process ends.
    private let input: Int32

    init(_ command: String) throws {
        var ends: [Int32] = [-1, -1]
        // A child that inherited the writing end would keep it open.
        #if canImport(Darwin)
        let status = pipe(&ends)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        #else
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let status = socketpair(AF_UNIX, type, 0, &ends)
        #endif
        guard status == 0 else { throw PostgresGraphError(.failed, "There is no pipe left.") }
        // The shell that waits isn't a child of this process: one that has ended and isn't waited
        // for would make the exit tests wait. A signal to the process and all of its children must
        // not end it.
        let script = "exec 3<&0; (trap '' TERM HUP; cat <&3 >/dev/null; \(command)) &"
        _ = try Command.status(of: ["/bin/sh", "-c", script], input: ends[0])
        close(ends[0])
        input = ends[1]
    }

    deinit { close(input) }
}
#endif
