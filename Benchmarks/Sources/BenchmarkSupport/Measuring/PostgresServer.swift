#if canImport(CPostgres)
import Foundation

/// A PostgreSQL server in a temporary folder, with a socket there and the default settings.
///
/// A shell starts it, and stops it when the process that started it has ended, however it ended.
/// The processes that measure single rows use the server of their parent.
struct PostgresServer: Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description = "PostgreSQL isn't installed, or can't be started"
    }

    /// The server, started at the first use, or the reason why there is none.
    static let started = Result { try PostgresServer() }

    private static let variable = "FLATCACHE_BENCHMARKS_POSTGRES"

    // The path of a socket must be short, so the folder isn't in `TMPDIR`.
    private static let script = """
        set -e
        folders=$(ls -d /usr/lib/postgresql/*/bin /usr/pgsql-*/bin | sort -Vr | tr '\\n' ':')
        export LC_ALL=C PATH="$folders$PATH:/opt/homebrew/bin:/usr/local/bin"
        folder=$(mktemp -d /tmp/flatcache-XXXXXX)
        trap : HUP INT TERM
        trap 'pg_ctl -D "$folder/data" -m immediate stop >/dev/null || :; rm -rf "$folder"' EXIT
        initdb -D "$folder/data" -U postgres -A trust -E UTF8 -N >/dev/null
        echo "unix_socket_directories = '$folder'" >>"$folder/data/postgresql.conf"
        echo "listen_addresses = ''" >>"$folder/data/postgresql.conf"
        pg_ctl -D "$folder/data" -l "$folder/log" -w start >/dev/null
        echo "$folder"
        cat || :
        """

    private let folder: String
    // The shell reads the pipe that belongs to the process object until this process ends.
    private let shell: Process?

    /// The connection string.
    var address: String { "host=\(folder) user=postgres dbname=postgres" }

    private init() throws {
        if let folder = ProcessInfo.processInfo.environment[Self.variable] {
            (self.folder, shell) = (folder, nil)
            return
        }
        let process = Process()
        // The server refuses to run as root.
        let user = geteuid() == 0 ? ["/usr/sbin/runuser", "-u", "postgres", "--"] : []
        let command = user + ["/bin/sh", "-c", Self.script]
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        process.currentDirectoryURL = URL(fileURLWithPath: "/")
        process.standardInput = Pipe()
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard line.hasSuffix("\n") else { throw Failure() }
        (folder, shell) = (String(line.dropLast()), process)
        setenv(Self.variable, folder, 1)
    }
}
#endif
