#if canImport(CPostgres)
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import FlatCachePostgres

/// A server in a temporary folder, with a socket there.
///
/// It ends with the process, however that ends.
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
    private let keeper: Keeper?
    private let schemas = Atomic<Int>(0)
    private static let servers = Atomic<Int>(0)

    /// Creates a server.
    ///
    /// - Parameters:
    ///   - network: A network on which the server listens, too.
    ///   - dataDisk: The disk of the data, or `nil` for the server's folder.
    ///   - logDisk: The disk of the write-ahead log.
    convenience init(
        on network: IsolatedNetwork? = nil,
        dataDisk: SmallDisk? = nil,
        logDisk: SmallDisk? = nil
    ) throws {
        try self.init { folder in
            if let dataDisk { try Self.run(shell: "ln -s \(dataDisk.folder) \(folder)/data") }
            let log = (dataDisk == nil ? logDisk?.folder : folder).map { "-X \($0)/wal" } ?? ""
            try Self.run(
                shell: """
                    \(Self.program("initdb")) -D \(folder)/data -U postgres -A trust -N -E UTF8 \
                        --wal-segsize=\(dataDisk == nil && logDisk == nil ? 16 : 1) \(log)
                    """
            )
            let settings = """
                listen_addresses = '\(network?.address ?? "")'
                fsync = off
                max_connections = 800
                shared_buffers = 32MB
                """
            try Self.run(shell: "echo \"\(settings)\" >> \(folder)/data/postgresql.conf")
            if logDisk != nil {
                let limits = "min_wal_size = 2MB\nmax_wal_size = 4MB"
                try Self.run(shell: "echo \"\(limits)\" >> \(folder)/data/postgresql.conf")
            }
            if let network {
                let access = "host all all \(network.address)/24 trust"
                try Self.run(shell: "echo \"\(access)\" >> \(folder)/data/pg_hba.conf")
            }
        }
    }

    /// Creates a server whose data a closure creates in the subfolder `data`.
    private init(_ createData: (String) throws -> Void) throws {
        // The path of a socket is short, and another user runs the server. A killed process may
        // have left the folder of a server that still runs.
        var path: String
        repeat {
            path = "/tmp/flatcache-\(getpid())-\(Self.servers.add(1, ordering: .relaxed).newValue)"
        } while FileManager.default.fileExists(atPath: path)
        folder = path
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o777]
        )
        let stop = (Self.user + [try Self.program("pg_ctl")]).joined(separator: " ")
        keeper = try Keeper(
            "\(stop) -D \(folder)/data -m immediate stop >/dev/null 2>&1; rm -rf \(folder)"
        )
        try createData(folder)
        try Self.run(
            shell: """
                echo "unix_socket_directories = '\(folder)'" >> \(folder)/data/postgresql.conf
                """
        )
        try start()
    }

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
        try restore(other.dump())
    }

    /// Returns the path of a dump of the database, or of one schema.
    func dump(_ schema: String? = nil) throws -> String {
        let file = "\(folder)/dump-\(UUID().uuidString).sql"
        let choice = schema.map { "-n \($0)" } ?? ""
        try Self.run(
            shell:
                "\(Self.program("pg_dump")) -h \(folder) -U postgres \(choice) -f \(file) postgres"
        )
        return file
    }

    /// Restores a dump in one transaction.
    ///
    /// - Parameters:
    ///   - dump: The path of the dump.
    ///   - schema: A schema that the transaction deletes before.
    func restore(_ dump: String, replacing schema: String? = nil) throws {
        let deletion = schema.map { "-c 'DROP SCHEMA \($0) CASCADE'" } ?? ""
        try Self.run(
            shell: """
                \(Self.program("psql")) -h \(folder) -U postgres -q -1 -v ON_ERROR_STOP=1 \
                    \(deletion) -f \(dump) postgres
                """
        )
    }

    /// Sends a signal to the server's first process, or to all of its processes.
    func signal(_ signal: Int32, all: Bool = false) throws {
        let file = try String(contentsOfFile: folder + "/data/postmaster.pid", encoding: .utf8)
        guard let process = file.split(separator: "\n").first.flatMap({ pid_t($0) }) else { return }
        // The first process starts no others while it's paused.
        _ = kill(process, signal)
        if !all { return }
        let path = "/proc/\(process)/task/\(process)/children"
        let children = try String(contentsOfFile: path, encoding: .utf8)
        for child in children.split(whereSeparator: \.isWhitespace) {
            if let child = pid_t(child) { _ = kill(child, signal) }
        }
    }

    /// `true` if the program that creates certificates is installed.
    static var canEncrypt: Bool { (try? run(shell: "command -v openssl")) != nil }

    /// Makes the server accept encrypted connections, and returns the address of these.
    func encrypt() throws -> String {
        try Self.run(
            shell: """
                cd \(folder)/data && openssl req -new -x509 -nodes -newkey rsa:2048 \
                    -subj /CN=localhost -keyout server.key -out server.crt && chmod 600 server.key
                """
        )
        let settings = "ssl = on\nlisten_addresses = '127.0.0.1'"
        try Self.run(shell: "echo \"\(settings)\" >> \(folder)/data/postgresql.conf")
        try stop("fast")
        // A socket of the system in the folder doesn't encrypt. Another program may use a port.
        var error: any Error = PostgresGraphError(.failed, "No port is free.")
        for port in (0..<50).map({ _ in Int.random(in: 20_000..<60_000) }) {
            try Self.run(shell: "echo \"port = \(port)\" >> \(folder)/data/postgresql.conf")
            do {
                try start()
                return "host=127.0.0.1 port=\(port) user=postgres dbname=postgres sslmode=require"
            } catch let failure {
                error = failure
            }
        }
        throw error
    }

    /// Copies the files of the stopped server.
    func copyFiles() throws { try Self.run(shell: "cp -a \(folder)/data \(folder)/copy") }

    /// Replaces the files of the stopped server by the copy.
    func restoreFiles() throws {
        try Self.run(shell: "rm -rf \(folder)/data && mv \(folder)/copy \(folder)/data")
    }

    private init(in folder: String) {
        self.folder = folder
        keeper = nil
    }

    func start() throws {
        try Self.run("pg_ctl", "-D", folder + "/data", "-l", folder + "/log", "-w", "start")
    }

    /// The messages of the server.
    var log: String {
        get throws { try String(contentsOfFile: folder + "/log", encoding: .utf8) }
    }

    func stop(_ mode: String = "immediate") throws {
        try Self.run("pg_ctl", "-D", folder + "/data", "-m", mode, "-w", "stop")
    }

    private static func run(_ program: String, _ arguments: String...) throws {
        try Command.run(user + [self.program(program)] + arguments)
    }

    private static func run(shell command: String) throws {
        try Command.run(user + ["/bin/sh", "-c", command])
    }

    var address: String { "host=\(folder) user=postgres dbname=postgres" }

    func session(_ user: String = "postgres") throws -> Session {
        try Session(
            "host=\(folder) user=\(user) dbname=postgres",
            connectTimeout: .seconds(60),
            timeout: hangLimit
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
