#if canImport(CPostgres)
import Foundation
import PostgresProbe
import TestSupport

@testable import FlatCachePostgres

/// Nodes as processes that perform random transactions and log them.
final class NodesRun {
    /// The figures of a node's graph.
    struct Figures {
        /// The seconds since the last import, or `nil` before the first one.
        let age: Int?
        let isConnected: Bool
        let resynchronizations: Int
        let lastError: String
    }

    private struct NoAnswer: Error, CustomStringConvertible { let description: String }

    private let server: PostgresServer
    private let address: String
    private let seed: Seed
    private let pause: Int
    private let launcher: [String]
    private let folder: TemporaryFolder
    private(set) var nodes: [SecondProcess] = []
    private var logs: [URL] = []

    /// Starts three nodes with three clients each.
    ///
    /// - Parameters:
    ///   - server: The server.
    ///   - seed: The seed of the transactions.
    ///   - address: The connection string of the nodes, or `nil` for that of the server.
    ///   - launcher: A command that starts the program that its further arguments name.
    ///   - pause: The milliseconds that a client sleeps between two transactions at most.
    init(
        _ server: PostgresServer,
        _ seed: Seed,
        address: String? = nil,
        launcher: [String] = [],
        pause: Int = 40
    ) throws {
        self.server = server
        self.address = address ?? server.address
        self.seed = seed
        self.launcher = launcher
        self.pause = pause
        folder = try TemporaryFolder()
        for _ in 0..<3 { nodes.append(try start()) }
    }

    private func start() throws -> SecondProcess {
        let log = folder.file("\(logs.count).log")
        logs.append(log)
        let process = try SecondProcess(
            [
                "work", address, "shop", "\(logs.count)", "3", "\(pause)", "\(seed.number)",
                log.path,
            ],
            of: "PostgresProbe",
            through: launcher
        )
        try wait(for: "ready", of: process)
        return process
    }

    /// Kills a node, and starts another one in its place.
    func restart(_ node: Int) throws {
        nodes[node].killAtOnce()
        nodes[node] = try start()
    }

    private func wait(for line: String, of node: SecondProcess) throws {
        while let found = node.line() { if found == line { return } }
        throw NoAnswer(description: "A node has ended without the line \(line).")
    }

    /// Returns the figures of a node's graph.
    func figures(of node: Int) throws -> Figures {
        nodes[node].write("statistics\n")
        while let line = nodes[node].line() {
            let words = line.split(separator: " ", maxSplits: 4, omittingEmptySubsequences: false)
            if words.count == 5, words[0] == "statistics" {
                return Figures(
                    age: Int(words[1]),
                    isConnected: words[2] == "connected",
                    resynchronizations: Int(words[3]) ?? -1,
                    lastError: String(words[4])
                )
            }
        }
        throw NoAnswer(description: "A node has ended without its figures.")
    }

    /// Ends the transactions of all nodes, lets them import the last ones, and returns the problems
    /// in their logs.
    func finish() throws -> [String] {
        for (command, answer) in [("stop", "done"), ("finish", "finished")] {
            for node in nodes { node.write(command + "\n") }
            for node in nodes { try wait(for: answer, of: node) }
        }
        for node in nodes { node.killAtOnce() }
        return try NodeLogs(logs, final: NodeLogs.lists(in: server, "shop")).check()
    }
}

extension PostgresServer {
    /// Ends some connections of nodes, by a session or a new one.
    func endConnections(_ count: Int, by session: Session? = nil) throws {
        try (session ?? self.session()).runScript(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE application_name = 'FlatCache' AND pid <> pg_backend_pid()
            ORDER BY random() LIMIT \(count)
            """
        )
    }
}
#endif
