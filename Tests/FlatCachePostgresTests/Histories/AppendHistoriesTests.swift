#if canImport(CPostgres)
import FlatCache
import Foundation
import PostgresProbe
import TestSupport
import Testing

@testable import FlatCachePostgres

/// Histories of nodes in this process.
@Suite(.needsPostgres) struct AppendHistoriesTests {
    private let server = PostgresServer.shared

    @Test("Writes are strictly serializable, and each commit of each cache is one of their states")
    func histories() async throws {
        for seed in RandomTestSettings(seeds: 4, hasThreads: true).seeds {
            let schema = server.newSchema()
            let folder = try TemporaryFolder()
            let files = (0..<3).map { folder.file("\($0).log") }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (node, file) in files.enumerated() {
                    group.addTask { try await run(UInt64(node), schema, file, seed) }
                }
                try await group.waitForAll()
            }
            let final = try NodeLogs.lists(in: server, schema)
            let logs = try NodeLogs(files, final: final)
            FailureReport(seed: seed, problems: logs.check())?.record()
        }
    }

    private func run(_ number: UInt64, _ schema: String, _ file: URL, _ seed: Seed) async throws {
        // The second node's writes read rows on demand.
        let loading: ReplicatedLoading = number == 1 ? .onDemand : .atStart
        let node = try await Node(schema) { Replicated(WorkEntry.self, "entry", load: loading) }
        let log = WorkLog(file.path)
        let observation = loading == .atStart ? log.observe(node.cache) : nil
        defer { observation?.dispose() }
        // The memory of a node that imports only when it writes is older than that of others.
        let running = number == 2 ? nil : Task { try await node.graph.run() }
        defer { running?.cancel() }
        await withTaskGroup(of: Void.self) { group in
            for client in 0..<3 {
                group.addTask {
                    var client = WorkClient(
                        node.graph,
                        log,
                        node: number,
                        client: client,
                        seed: seed.number
                    )
                    for _ in 0..<30 { await client.perform() }
                }
            }
        }
        try await node.synchronize()
    }

    @Test("A write may be skewed in rows that it only reads, and in no others", arguments: 1...2)
    func writeSkew(otherList: Int) async throws {
        let schema = server.newSchema()
        let declarations = { Replicated(WorkEntry.self, "entry") }
        let nodes = [
            try await Node(schema) { declarations() }, try await Node(schema) { declarations() },
        ]
        try await nodes[0].graph.write { batch in
            for id in 1...2 { batch.insert(WorkEntry(id: id, numbers: [])) }
        }
        /// Reads both lists, and appends a number to one of them.
        @Sendable func append(
            _ number: UInt64,
            to list: Int,
            _ node: Node,
            meanwhile: @Sendable () async throws -> Void = {}
        ) async throws -> AppendTransaction {
            try await node.graph.write { batch in
                var transaction = AppendTransaction("\(number)", [])
                for id in 1...2 {
                    guard let entry = try await batch.get(WorkEntry.self, id: id) else {
                        throw Missing()
                    }
                    transaction.operations.append(.read(id, entry.numbers[...]))
                }
                try await meanwhile()
                guard var entry = try await batch.get(WorkEntry.self, id: list) else {
                    throw Missing()
                }
                entry.numbers.append(number)
                batch.set(entry)
                transaction.operations.append(.append(list, number))
                return transaction
            }.value
        }
        let others = Locked<[AppendTransaction]>([])
        let first = try await append(10, to: 1, nodes[0]) {
            guard others.withLock(\.isEmpty) else { return }
            let other = try await append(11, to: otherList, nodes[1])
            others.withLock { $0.append(other) }
        }
        let history = others.withLock(\.self) + [first]
        let final = try NodeLogs.lists(in: server, schema)
        #expect(AppendHistory.problems(of: history, final: final).isEmpty)
        let strict = AppendHistory.problems(of: history, final: final, validated: .all)
        #expect(strict.map(\.kind) == (otherList == 2 ? [.g2Item] : []))
    }
}
#endif
