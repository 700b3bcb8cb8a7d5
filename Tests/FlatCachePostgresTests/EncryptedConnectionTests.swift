#if canImport(CPostgres)
import FlatCache
import TestSupport
import Testing

@testable import FlatCachePostgres

@Suite(
    .needsPostgres,
    .enabled("There is no openssl.") { PostgresServer.canEncrypt }
)
struct EncryptedConnectionTests {
    @Test("Nodes write, notify each other and load over encrypted connections")
    func encryption() async throws {
        let server = try PostgresServer()
        let address = try server.encrypt()
        var configuration = PostgresConfiguration(
            connection: { address },
            schema: Schema("shop")
        )
        configuration.statementTimeout = .seconds(300)
        configuration.answerTimeout = hangLimit
        configuration.pollInterval = .seconds(3_600)
        let first = try await Node("shop", configuration) { Replicated(Book.self, "book") }
        // One row and all rows together are larger than any buffer on the way.
        let title = String(repeating: "é\\", count: 1_000_000)
        try await first.graph.write { batch in
            batch.insert(Book(id: 0, title: title))
            for id in 1...2_000 { batch.insert(Book(id: id, title: "\(id)" + title.prefix(500))) }
        }
        #expect(first.cache[Book.self, 0]?.title == title)
        let second = try await Node("shop", configuration) {
            Replicated(Book.self, "book", load: .atStart)
        }
        #expect(second.cache.count(of: Book.self) == 2_001)
        #expect(second.cache[Book.self, 0]?.title == title)
        let (titles, continuation) = AsyncStream.makeStream(of: String.self)
        let observation = second.cache.cached(Book.self, id: -1).observe {
            continuation.yield($0.title)
        }
        defer { observation.dispose() }
        let running = Task { try await second.graph.run() }
        defer { running.cancel() }
        var iterator = titles.makeAsyncIterator()
        try await first.graph.write { $0.insert(Book(id: -1, title: "Dune")) }
        #expect(await iterator.next() == "Dune")
        try await first.graph.write { batch in
            guard var book = try await batch.get(Book.self, id: -1) else { throw Missing() }
            book.title = title
            batch.set(book)
        }
        #expect(await iterator.next() == title)
        #expect(second.graph.statistics.lastError == nil)
        let session = try Session(address, connectTimeout: .seconds(60), timeout: hangLimit)
        let count = try session.run("SELECT count(*) FROM pg_stat_ssl WHERE ssl").integer(0, 0)
        #expect(count >= 4)
    }
}
#endif
