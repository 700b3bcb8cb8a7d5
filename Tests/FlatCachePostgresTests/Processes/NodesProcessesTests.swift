#if canImport(CPostgres)
import FlatCache
import Foundation
import PostgresProbe
import TestSupport
import Testing

@testable import FlatCachePostgres

/// Nodes as processes, while nodes, connections and the server are killed.
///
/// `FLATCACHE_NODE_FAULTS=200` causes two hundred faults.
@Suite(.needsPostgres, .serialized, .tags(.slow)) struct NodesProcessesTests {
    @Test("Writes are strictly serializable on all nodes, whatever is killed")
    func faults() async throws {
        let count = ProcessInfo.processInfo.environment["FLATCACHE_NODE_FAULTS"].flatMap(Int.init)
        for seed in RandomTestSettings(seeds: 1, hasThreads: true).seeds {
            let server = try PostgresServer()
            let problems = try await onOwnThread {
                var random = SplitMix64(seed: seed)
                let run = try NodesRun(server, seed)
                for _ in 0..<(count ?? 6) {
                    // The faults must meet writes, which only time tells.
                    Thread.sleep(forTimeInterval: 0.1 + 0.01 * Double(random.below(30)))
                    try causeFault(run, server, &random)
                }
                return try run.finish()
            }
            FailureReport(seed: seed, problems: problems)?.record()
        }
    }

    private func causeFault(
        _ run: NodesRun,
        _ server: PostgresServer,
        _ random: inout SplitMix64
    ) throws {
        let node = random.below(run.nodes.count)
        switch random.below(4) {
        case 0: try run.restart(node)
        case 1: try server.endConnections(3)
        case 2:
            try server.stop()
            try server.start()
        default:
            run.nodes[node].suspend()
            Thread.sleep(forTimeInterval: 0.3)
            run.nodes[node].resume()
        }
    }
}
#endif
