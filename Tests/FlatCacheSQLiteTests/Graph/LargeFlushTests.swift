import FlatCache
import Foundation
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

/// Tests of flushes of many entities.
struct LargeFlushTests {
    private let folder: GraphFolder

    init() throws {
        folder = try GraphFolder()
    }

    /// The number of entities, which isn't a multiple of the rows of a statement.
    private let count = 160 * TableStatements.batch + 7

    private func attached(_ graph: SQLiteGraph) async throws -> Cache {
        let cache = Cache()
        try await graph.attach(to: cache)
        return cache
    }

    @Test(arguments: [false, true])
    func allValuesAreWritten(ofTimedType isTimed: Bool) async throws {
        var configuration = CacheConfiguration()
        if isTimed { configuration.limit(Author.self, .unlimited, staleAfter: .seconds(1_000)) }
        let cache = Cache(configuration: configuration)
        let graph = try folder.graph { Durable(Author.self, "author").stamps(of: Int.self) }
        try await graph.attach(to: cache)
        var generator = SplitMix64(seed: 1)
        // Texts aren't in the order of the rows.
        let ids = (0..<count).map { "\($0)" }.shuffled(using: &generator)
        for (place, id) in ids.enumerated() {
            if place.isMultiple(of: 3) {
                cache.set(Author(id: id, name: "Author \(id)"), modifiedAt: place)
            } else {
                cache.set(Author(id: id, name: "Author \(id)"))
            }
        }
        try await graph.flush()
        #expect(try await graph.statistics.transactionCount == 1)
        let stamped = try folder.run("SELECT count(*) FROM author WHERE stamp NOT NULL")
        #expect(stamped == ["\((count + 2) / 3)"])
        let stored = try folder.run("SELECT count(*) FROM author WHERE stored NOT NULL")
        #expect(stored == [isTimed ? "\(count)" : "0"])
        let copy = try await attached(
            try folder.graph { Durable(Author.self, "author", load: .atStart) }
        )
        #expect(copy.count(of: Author.self) == count)
        for id in ids { #expect(copy.get(Author.self, id: id)?.name == "Author \(id)") }
        // The transaction lists all rows.
        let record = try #require(try folder.log().records(after: 0)?.first)
        #expect(record.stored == ids.map { .text($0) }.sorted())
    }

    @Test func valuesThatCannotBeEncodedAreReportedOnce() async throws {
        let graph = try folder.graph(lockTimeout: .zero) { Durable(Stubborn.self, "stubborn") }
        let cache = try await attached(graph)
        let refusing = stride(from: 0, to: count, by: 1_000)
        cache.set(
            contentsOf: (0..<count).map { Stubborn(id: $0, refuses: refusing.contains($0)) }
        )
        try await graph.flush()
        #expect(folder.errors.all.map(\.key) == refusing.map { CacheKey(Stubborn.self, id: $0) })
        let rows = count - Array(refusing).count
        #expect(try folder.run("SELECT count(*) FROM stubborn") == ["\(rows)"])
    }
}
