#if canImport(CPostgres)
import FlatCache
import Foundation
import TestSupport
import Testing

@testable import FlatCachePostgres

@Suite(.needsPostgres) struct OtherServerTests {
    /// The connection string of a node, which a test changes.
    private let address = Locked("")

    private func node(_ schema: String = "shop") async throws -> Node {
        let configuration = PostgresConfiguration(
            connection: { [address] in address.withLock(\.self) },
            schema: Schema(schema)
        )
        return try await Node(schema, configuration) {
            Replicated(Book.self, "book", load: .atStart)
        }
    }

    private func rename(_ id: Int, _ title: String, _ node: Node) async throws {
        try await node.graph.write { batch in
            if var book = try await batch.get(Book.self, id: id) {
                book.title = title
                batch.set(book)
            } else {
                batch.insert(Book(id: id, title: title))
            }
        }
    }

    @Test("After a standby that lagged was promoted, nodes show what it has")
    func promotion() async throws {
        let primary = try PostgresServer()
        address.withLock { $0 = primary.address }
        let node = try await node()
        try await rename(1, "Kept", node)
        try await rename(2, "Before", node)
        let standby = try primary.standby()
        // The standby misses what follows.
        try standby.stop("fast")
        try await rename(2, "Lost", node)
        try await rename(3, "Lost, too", node)
        let token = try await node.graph.token()
        try primary.stop()
        try standby.start()
        // A standby is no server for nodes.
        address.withLock { $0 = standby.address }
        await #expect { try await node.synchronize() } throws: {
            ($0 as? PostgresGraphError)?.kind == .disconnected
        }
        try standby.promote()
        try await retry { try await node.synchronize() }
        #expect(node.cache[Book.self, 1]?.title == "Kept")
        #expect(node.cache[Book.self, 2]?.title == "Before")
        #expect(node.cache[Book.self, 3] == nil)
        try await expectOtherHistory(than: token, node)
    }

    @Test("A dump that was restored into a younger cluster is read again")
    func restoredDump() async throws {
        let first = try PostgresServer()
        address.withLock { $0 = first.address }
        let node = try await node()
        let other = try await self.node()
        for id in 1...3 { try await rename(id, "Book \(id)", node) }
        let second = try PostgresServer()
        try second.restore(first)
        try await rename(1, "After the dump", node)
        try await other.synchronize()
        #expect(other.cache[Book.self, 1]?.title == "After the dump")
        try first.stop()
        address.withLock { $0 = second.address }
        for node in [node, other] {
            try await retry { try await node.synchronize() }
            #expect(node.cache[Book.self, 1]?.title == "Book 1")
            #expect(node.graph.statistics.resynchronizationCount == 1)
        }
        for round in 0..<3 {
            try await rename(1, "Round \(round)", round == 1 ? other : node)
            try await node.synchronize()
            try await other.synchronize()
            #expect(node.cache[Book.self, 1]?.title == "Round \(round)")
            #expect(other.cache[Book.self, 1]?.title == "Round \(round)")
        }
        #expect(node.graph.statistics.resynchronizationCount == 1)
    }

    @Test(
        "Files that are older than memory are noticed, also after many other writes",
        arguments: [0, 3_000]
    )
    func olderFiles(_ newRows: Int) async throws {
        let server = try PostgresServer()
        address.withLock { $0 = server.address }
        let node = try await node()
        for id in 1...2 { try await rename(id, "Copied", node) }
        try server.stop("fast")
        try server.copyFiles()
        try server.start()
        try await retry { try await rename(2, "Lost", node) }
        try await retry { try await rename(3, "Lost, too", node) }
        let token = try await node.graph.token()
        try server.stop()
        try server.restoreFiles()
        try server.start()
        if newRows > 0 {
            // A node that starts now has seen nothing that is missing.
            let other = try await self.node()
            try await other.graph.write { batch in
                for id in 1...newRows { batch.insert(Book(id: 10 + id, title: "New")) }
            }
        }
        try await retry { try await node.synchronize() }
        #expect(node.cache[Book.self, 1]?.title == "Copied")
        #expect(node.cache[Book.self, 2]?.title == "Copied")
        #expect(node.cache[Book.self, 3] == nil)
        #expect(node.cache.count(of: Book.self) == 2 + newRows)
        try await expectOtherHistory(than: token, node)
    }

    @Test("A log that was truncated before a node read it makes the node read its rows again")
    func truncatedLog() async throws {
        let server = PostgresServer.shared
        let schema = server.newSchema()
        address.withLock { $0 = server.address }
        let node = try await node(schema)
        try await rename(1, "Before", node)
        let other = try await self.node(schema)
        try await rename(1, "After", other)
        try await rename(2, "After", other)
        try server.session().runScript("TRUNCATE \(schema)._log")
        for node in [node, other] {
            try await retry { try await node.synchronize() }
            #expect(node.cache[Book.self, 1]?.title == "After")
            #expect(node.cache[Book.self, 2]?.title == "After")
            #expect(node.graph.statistics.resynchronizationCount == 1)
        }
    }

    @Test("A dump that replaced the schema is read again, also by open connections")
    func restoredSchema() async throws {
        let server = PostgresServer.shared
        let schema = server.newSchema()
        address.withLock { $0 = server.address }
        let node = try await node(schema)
        let other = try await self.node(schema)
        for id in 1...2 { try await rename(id, "Dumped", node) }
        let dump = try server.dump(schema)
        try await rename(1, "Later", node)
        try await rename(3, "Later", node)
        try await rename(2, "Later", other)
        let token = try await node.graph.token()
        try server.restore(dump, replacing: schema)
        for node in [node, other] {
            try await retry { try await node.synchronize() }
            #expect(node.cache[Book.self, 1]?.title == "Dumped")
            #expect(node.cache[Book.self, 2]?.title == "Dumped")
            #expect(node.cache[Book.self, 3] == nil)
            #expect(node.graph.statistics.resynchronizationCount == 1)
            await #expect {
                try await node.graph.wait(for: token, timeout: hangLimit)
            } throws: { ($0 as? PostgresGraphError)?.kind == .otherHistory }
        }
    }

    @Test("A write that has read rows before a restore isn't committed after it")
    func writeAfterRestore() async throws {
        let server = PostgresServer.shared
        let schema = server.newSchema()
        address.withLock { $0 = server.address }
        let node = try await node(schema)
        try await rename(1, "Dumped", node)
        let dump = try server.dump(schema)
        let other = try await self.node(schema)
        // Opens a connection that writes, and that doesn't find the other history.
        try await rename(2, "Later", other)
        let attempts = Locked<[String]>([])
        try await retry {
            try await other.graph.write { batch in
                guard var book = try await batch.get(Book.self, id: 1) else { throw Missing() }
                if attempts.withLock(\.isEmpty) {
                    try server.restore(dump, replacing: schema)
                    // The versions of the dump begin again, so one that memory knows appears again.
                    try server.session().runScript(
                        """
                        UPDATE \(schema).book SET value = value || '{"title": "Restored"}' WHERE id = 1
                        """
                    )
                }
                attempts.withLock { $0.append(book.title) }
                book.copies += 1
                batch.set(book)
            }
        }
        #expect(attempts.withLock(\.last) == "Restored")
        for node in [node, other] {
            try await retry { try await node.synchronize() }
            #expect(node.cache[Book.self, 1] == Book(id: 1, title: "Restored", copies: 1))
            #expect(node.cache[Book.self, 2] == nil)
        }
    }

    /// Expects that a node has read its rows again, refuses an earlier token, and writes on.
    private func expectOtherHistory(than token: String, _ node: Node) async throws {
        #expect(node.graph.statistics.resynchronizationCount == 1)
        await #expect { try await node.graph.wait(for: token, timeout: hangLimit) } throws: {
            ($0 as? PostgresGraphError)?.kind == .otherHistory
        }
        try await rename(2, "After", node)
        #expect(node.cache[Book.self, 2]?.title == "After")
    }
}
#endif
