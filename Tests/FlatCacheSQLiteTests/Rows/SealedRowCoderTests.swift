import FlatCache
import Foundation
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

struct SealedRowCoderTests {
    private enum Shade: String, Codable { case light, dark }

    private struct NamedShade: Identifiable, Codable, Sendable {
        let id: String
        var name: Shade
    }

    private struct NotAuthentic: Error {}

    private let folder: GraphFolder

    init() throws {
        folder = try GraphFolder()
    }

    /// Returns a coder with a toy cipher and a check of authenticity.
    private func coder(key: UInt8) -> some RowCoder {
        SealedRowCoder(
            seal: { Data($0.map { $0 ^ key }) + [$0.reduce(key, &+)] },
            open: { sealed in
                let plain = sealed.dropLast().map { $0 ^ key }
                guard plain.reduce(key, &+) == sealed.last else { throw NotAuthentic() }
                return Data(plain)
            }
        )
    }

    private func attached<Value: Identifiable & Codable & Sendable>(
        _ durable: Durable<Value>,
        key: UInt8
    ) async throws -> (Cache, SQLiteGraph) where Value.ID: Codable & Sendable {
        let cache = Cache()
        let graph = try folder.graph(coder: coder(key: key)) { durable }
        try await graph.attach(to: cache)
        return (cache, graph)
    }

    private let authors = Durable(Author.self, "author")

    @Test func fileContainsSealedValuesAndReadableIdentifiers() async throws {
        let (cache, graph) = try await attached(authors, key: 0xA5)
        cache.set(Author(id: "readable", name: "secret"))
        try await graph.detach()
        let bytes = try Data(contentsOf: folder.url)
        #expect(bytes.firstRange(of: Data("secret".utf8)) == nil)
        #expect(bytes.firstRange(of: Data("readable".utf8)) != nil)
        let (_, other) = try await attached(authors, key: 0xA5)
        #expect(try await other.load(Author.self, id: "readable")?.name == "secret")
    }

    @Test func rowThatCannotBeOpenedMovesToTheQuarantine() async throws {
        let (cache, graph) = try await attached(authors, key: 0xA5)
        cache.set(Author(id: "a", name: "secret"))
        try await graph.detach()
        let (_, other) = try await attached(authors, key: 0x5A)
        #expect(try await other.load(Author.self, id: "a") == nil)
        #expect(folder.errors.all.map(\.key) == [CacheKey(Author.self, id: "a")])
        #expect(folder.errors.all.first?.underlyingError is NotAuthentic)
        #expect(try await other.statistics.quarantinedRowCount == 1)
    }

    @Test func quarantineDoesNotContainPartsOfSealedValues() async throws {
        let (cache, graph) = try await attached(authors, key: 0xA5)
        cache.set(Author(id: "a", name: "secret"))
        try await graph.detach()
        let (_, other) = try await attached(Durable(NamedShade.self, "author"), key: 0xA5)
        #expect(try await other.load(NamedShade.self, id: "a") == nil)
        // The description of the error contains the name.
        #expect(folder.errors.all.first?.reason.contains("secret") == true)
        let causes = try folder.run("SELECT cause FROM flatcache_quarantine")
        #expect(causes == ["DecodingError"])
    }

    @Test func valueThatCannotBeSealedIsReported() async throws {
        let cache = Cache()
        let refusing = SealedRowCoder(seal: { _ in throw NotAuthentic() }, open: { $0 })
        let graph = try folder.graph(coder: refusing) { Durable(Book.self, "book") }
        try await graph.attach(to: cache)
        cache.set(Book(id: 1, title: "One"))
        try await graph.flush()
        #expect(folder.errors.all.map(\.kind) == [.unencodable])
        #expect(folder.errors.all.first?.key == CacheKey(Book.self, id: 1))
    }
}
