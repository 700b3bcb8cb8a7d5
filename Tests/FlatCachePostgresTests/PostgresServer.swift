#if canImport(CPostgres)
import Foundation
import Synchronization
import Testing

@testable import FlatCachePostgres

/// A server in a temporary folder, with a socket there.
///
/// It ends with the process, however that ends, since a shell waits for the end of its input.
final class PostgresServer: Sendable {
    /// The server that most tests share.
    ///
    /// It's used only by tests with the trait `needsPostgres`.
    static var shared: PostgresServer {
        do {
            return try started.get()
        } catch {
            fatalError("PostgreSQL can't be started: \(error)")
        }
    }

    static let started = Result {
        // The processes of exit tests use the server of their parent.
        if let folder = ProcessInfo.processInfo.environment[variable] {
            return PostgresServer(in: folder)
        }
        let server = try PostgresServer()
        setenv(variable, server.folder, 1)
        return server
    }

    private static let variable = "FLATCACHE_POSTGRES_SERVER"

    /// The folder of the server's programs.
    private static let programs: String? = {
        let versions = (14...30).reversed().map(String.init)
        let folders =
            versions.map { "/usr/lib/postgresql/\($0)/bin" }
            + versions.map { "/usr/pgsql-\($0)/bin" }
            + ["/usr/bin", "/opt/homebrew/bin", "/usr/local/bin"]
        return folders.first { FileManager.default.isExecutableFile(atPath: "\($0)/initdb") }
    }()

    private static func program(_ name: String) throws -> String {
        guard let programs else {
            throw PostgresGraphError(.failed, "PostgreSQL isn't installed.")
        }
        return "\(programs)/\(name)"
    }

    /// The server refuses to run as root.
    private static var user: [String] {
        geteuid() == 0 ? ["/usr/sbin/runuser", "-u", "postgres", "--"] : []
    }

    let folder: String
    /// The end of the pipe that a shell reads until this process ends.
    private let input: Int32
    private let schemas = Atomic<Int>(0)
    private static let servers = Atomic<Int>(0)

    convenience init() throws {
        try self.init { folder in
            try Self.run(
                "initdb",
                "-D",
                folder + "/data",
                "-U",
                "postgres",
                "-A",
                "trust",
                "-N",
                "-E",
                "UTF8"
            )
            let settings = """
                listen_addresses = ''
                fsync = off
                max_connections = 200
                shared_buffers = 32MB
                """
            try Self.run(shell: "echo \"\(settings)\" >> \(folder)/data/postgresql.conf")
        }
    }

    /// Creates a server whose data a closure creates in the subfolder `data`.
    private init(_ createData: (String) throws -> Void) throws {
        let number = Self.servers.add(1, ordering: .relaxed).newValue
        // The path of a socket is short, and another user runs the server.
        folder = "/tmp/flatcache-\(getpid())-\(number)"
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o777]
        )
        try createData(folder)
        try Self.run(
            shell: """
                echo "unix_socket_directories = '\(folder)'" >> \(folder)/data/postgresql.conf
                """
        )
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
        let stop = (Self.user + [try Self.program("pg_ctl")]).joined(separator: " ")
        // The keeper isn't a child of this process: one that has ended and isn't waited for would
        // make the exit tests wait.
        let keeper = """
            exec 3<&0
            (cat <&3 >/dev/null; \(stop) -D \(folder)/data -m immediate stop; rm -rf \(folder)) &
            """
        _ = try Self.wait(for: Self.spawn(["/bin/sh", "-c", keeper], input: ends[0]))
        close(ends[0])
        input = ends[1]
        try start()
    }

    deinit { if input >= 0 { close(input) } }

    /// Returns a running standby of the server.
    func standby() throws -> PostgresServer {
        try PostgresServer { [folder] copy in
            try Self.run(
                "pg_basebackup",
                "-h",
                folder,
                "-U",
                "postgres",
                "-D",
                copy + "/data",
                "-R",
                "-c",
                "fast"
            )
        }
    }

    /// Makes a standby the primary server.
    func promote() throws { try Self.run("pg_ctl", "-D", folder + "/data", "-w", "promote") }

    /// Restores the database of another server in this one.
    func restore(_ other: PostgresServer) throws {
        let (dump, psql) = (try Self.program("pg_dump"), try Self.program("psql"))
        try Self.run(
            shell: """
                \(dump) -h \(other.folder) -U postgres postgres |
                    \(psql) -h \(folder) -U postgres -q -v ON_ERROR_STOP=1 postgres
                """
        )
    }

    private init(in folder: String) {
        self.folder = folder
        input = -1
    }

    func start() throws {
        try Self.run("pg_ctl", "-D", folder + "/data", "-l", folder + "/data/log", "-w", "start")
    }

    func stop(_ mode: String = "immediate") throws {
        try Self.run("pg_ctl", "-D", folder + "/data", "-m", mode, "-w", "stop")
    }

    private static func run(_ program: String, _ arguments: String...) throws {
        try run([self.program(program)] + arguments)
    }

    private static func run(shell command: String) throws { try run(["/bin/sh", "-c", command]) }

    /// Runs a command to its end.
    ///
    /// Foundation's `Process` would wait for the end of the server, too.
    private static func run(_ command: [String]) throws {
        let status = try wait(for: spawn(user + command, input: nil))
        guard status == 0 else {
            throw PostgresGraphError(.failed, "\(command) ended with the status \(status).")
        }
    }

    private static func wait(for process: pid_t) throws -> Int32 {
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
        let environment = [strdup("PATH=/usr/bin:/bin"), strdup("LC_ALL=C"), nil]
        defer { for text in arguments + environment { free(text) } }
        let status = posix_spawn(&process, words[0], &actions, nil, arguments, environment)
        guard status == 0 else {
            throw PostgresGraphError(.failed, "\(words[0]) can't be started: \(status)")
        }
        return process
    }

    var address: String { "host=\(folder) user=postgres dbname=postgres" }

    func session(_ user: String = "postgres") throws -> Session {
        try Session(
            "host=\(folder) user=\(user) dbname=postgres",
            connectTimeout: .seconds(5),
            timeout: .seconds(30)
        )
    }

    /// Returns the name of a new schema, so that tests don't share tables.
    func newSchema() -> String {
        "test\(getpid())_\(schemas.add(1, ordering: .relaxed).newValue)"
    }
}

extension Trait where Self == ConditionTrait {
    /// Runs a test only where PostgreSQL is installed and can be started.
    static var needsPostgres: ConditionTrait {
        .enabled("There is no PostgreSQL that can be started.") {
            if case .success = PostgresServer.started { true } else { false }
        }
    }
}
#endif
