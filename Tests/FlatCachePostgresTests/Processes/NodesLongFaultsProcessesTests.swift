#if canImport(CPostgres)
import Foundation
import TestSupport
import Testing

@testable import FlatCachePostgres

/// The time of a fault, or `nil` if there shall be none.
private let faultSeconds = ProcessInfo.processInfo
    .environment["FLATCACHE_NODE_PAUSE"].flatMap(Double.init)

/// Nodes as processes, during faults that last.
///
/// `FLATCACHE_NODE_PAUSE=90` makes each fault last for ninety seconds. A node notices within forty
/// seconds that a server is silent.
@Suite(
    .needsPostgres,
    .tags(.slow),
    .enabled("FLATCACHE_NODE_PAUSE isn't set to a number of seconds.") {
        faultSeconds != nil
    }
)
struct NodesLongFaultsProcessesTests {
    private let seed = RandomTestSettings(seeds: 1, hasThreads: true).seeds[0]

    /// The time during which nodes write before a fault and after it.
    private static func letWrite() { Thread.sleep(forTimeInterval: 3) }

    /// The time of a fault.
    private static func letLast() { Thread.sleep(forTimeInterval: faultSeconds ?? 0) }

    /// Runs nodes during a fault, and checks their histories.
    ///
    /// - Parameters:
    ///   - server: The server.
    ///   - address: The connection string of the nodes, or `nil` for that of the server.
    ///   - launcher: A command that starts the program that its further arguments name.
    ///   - fault: A closure that causes the fault, ends it, and returns problems.
    private func run(
        _ server: PostgresServer,
        address: String? = nil,
        launcher: [String] = [],
        during fault: @escaping @Sendable (NodesRun) throws -> [String]
    ) async throws {
        let problems = try await onOwnThread { [seed] in
            let run = try NodesRun(server, seed, address: address, launcher: launcher, pause: 400)
            Self.letWrite()
            var problems = try fault(run)
            Self.letWrite()
            problems += try run.finish()
            return problems
        }
        FailureReport(seed: seed, problems: problems)?.record()
    }

    /// Returns the problems of nodes that should have noticed the loss of their connections.
    private static func lossProblems(_ run: NodesRun) throws -> [String] {
        try run.nodes.indices.flatMap { node in
            let figures = try run.figures(of: node)
            return figures.isConnected || (figures.age ?? 0) < 20
                ? ["Node \(node) doesn't say that the connection is lost: \(figures)"] : []
        }
    }

    /// Returns the problems of nodes that should have had an error.
    private static func errorProblems(_ run: NodesRun) throws -> [String] {
        try run.nodes.indices.compactMap { node in
            let figures = try run.figures(of: node)
            return figures.lastError.isEmpty ? "Node \(node) shows no error: \(figures)" : nil
        }
    }

    /// Returns the problems of nodes that should have caught up, within five minutes.
    private static func returnProblems(_ run: NodesRun) throws -> [String] {
        let deadline = ContinuousClock.now + .seconds(300)
        while true {
            let problems = try run.nodes.indices.compactMap { node in
                let figures = try run.figures(of: node)
                return figures.isConnected && (figures.age ?? 100) < 5
                    && figures.resynchronizations == 0
                    ? nil : "Node \(node) hasn't caught up: \(figures)"
            }
            if problems.isEmpty || ContinuousClock.now > deadline { return problems }
            Thread.sleep(forTimeInterval: 0.5)
        }
    }

    @Test("A node is paused")
    func pausedNode() async throws {
        try await run(PostgresServer()) { run in
            run.nodes[0].suspend()
            Self.letLast()
            run.nodes[0].resume()
            return try Self.returnProblems(run)
        }
    }

    @Test("The server's first process is paused, so that no connection can be opened")
    func pausedPostmaster() async throws {
        let server = try PostgresServer()
        try await run(server) { run in
            let session = try server.session()
            try server.signal(SIGSTOP)
            defer { try? server.signal(SIGCONT) }
            try server.endConnections(1_000, by: session)
            Self.letLast()
            var problems = try Self.lossProblems(run)
            try server.signal(SIGCONT)
            problems += try Self.returnProblems(run)
            return problems
        }
    }

    @Test("All of the server's processes are paused, so that connections are silent")
    func pausedServer() async throws {
        let server = try PostgresServer()
        try await run(server) { run in
            try server.signal(SIGSTOP, all: true)
            defer { try? server.signal(SIGCONT, all: true) }
            Self.letLast()
            var problems = try Self.lossProblems(run)
            try server.signal(SIGCONT, all: true)
            problems += try Self.returnProblems(run)
            return problems
        }
    }

    @Test(
        "The network is cut",
        .enabled("This process may not create a network namespace.") {
            IsolatedNetwork.isPermitted
        }
    )
    func cutNetwork() async throws {
        let network = try IsolatedNetwork()
        let server = try PostgresServer(on: network)
        let address = "host=\(network.address) user=postgres dbname=postgres"
        try await run(server, address: address, launcher: network.launcher) { run in
            try network.cut()
            Self.letLast()
            var problems = try Self.lossProblems(run)
            try network.mend()
            problems += try Self.returnProblems(run)
            return problems
        }
    }

    @Test("Listeners are deaf")
    func deafListeners() async throws {
        let server = try PostgresServer()
        let proxy = try PostgresProxy(of: server)
        try await run(server, address: proxy.address) { run in
            proxy.deafen()
            Self.letLast()
            return try Self.errorProblems(run) + Self.returnProblems(run)
        }
    }

    @Test(
        "The disk of the server is full",
        .enabled("This process may not mount a disk.") { SmallDisk.isPermitted },
        arguments: ["data", "log"]
    )
    func fullDisk(_ part: String) async throws {
        let disk = try SmallDisk(megabytes: part == "data" ? 64 : 24)
        let server = try PostgresServer(
            dataDisk: part == "data" ? disk : nil,
            logDisk: part == "log" ? disk : nil
        )
        if part == "log" {
            // The server keeps its log for a standby, and doesn't use the files again.
            let slot = "SELECT pg_create_physical_replication_slot('standby', true)"
            try server.session().run(slot)
        }
        try await run(server) { run in
            try disk.fill()
            Self.letLast()
            // A server with full data refuses writes, and answers reads.
            let lossProblems = try part == "log" ? Self.errorProblems(run) : []
            disk.makeRoom()
            // A server that can't log ends.
            try? server.stop()
            try server.start()
            let isFull = try server.log.contains("No space left on device")
            return try lossProblems + (isFull ? [] : ["The disk wasn't full."])
                + Self.returnProblems(run)
        }
    }
}
#endif
