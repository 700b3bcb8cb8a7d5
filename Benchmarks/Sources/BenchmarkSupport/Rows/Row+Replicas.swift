#if canImport(CPostgres)
import FlatCache
import FlatCachePostgres
import Foundation

extension Row {
    /// Rows of the entities that a graph of several nodes has in memory.
    static let replicaRows = [
        Row(
            "34f",
            "first load of 1,000,000 rows, per row",
            against: "COPY that decodes into a dictionary",
            target: 1.3,
            requires: requirePostgres
        ) { scale in
            .ifPossible { try firstLoads(scale(1_000_000)) }
        },
        Row(
            "34g",
            "get of a replicated type, 100,000 entities",
            against: "FlatCache without a graph",
            target: 1.02,
            requires: requirePostgres
        ) { scale in
            .ifPossible { try gets(scale(100_000)) }
        },
    ]

    private static func firstLoads(_ count: Int) throws -> Contest {
        let (server, schema) = (try server(flushing: true), newSchema("34f"))
        let session = try fill(server, schema, count)
        return Contest {
            do {
                var books: [Int: StoredBook] = [:]
                let decoder = JSONDecoder()
                return try timeOfOne {
                    try session.copy("SELECT value FROM \(schema).book") { json in
                        let book = try decoder.decode(StoredBook.self, from: json)
                        books[book.id] = book
                    }
                    Tally.check(books.count, is: count)
                } / Double(count)
            } catch {
                Failures.note(error)
                return .nan
            }
        } subject: {
            do {
                let cache = Cache()
                var graph: PostgresGraph?
                defer { withExtendedLifetime((cache, graph)) {} }
                return try timeOfOne {
                    graph = try BookNode.attachedGraph(server, schema, 4, .atStart, to: cache)
                } / Double(count)
            } catch {
                Failures.note(error)
                return .nan
            }
        }
    }

    private static func gets(_ count: Int) throws -> Contest {
        let (server, schema) = (try server(flushing: true), newSchema("34g"))
        _ = try fill(server, schema, count)
        let node = try BookNode(server, schema, load: .atStart)
        let plain = Cache()
        plain.set(
            contentsOf: node.cache.ids(of: StoredBook.self).compactMap { id in
                node.cache.get(StoredBook.self, id: id)
            }
        )
        func read(_ cache: Cache) -> Double {
            Stopwatch.nanoseconds(per: count) {
                for id in 0..<count { blackHole(cache.get(StoredBook.self, id: id)) }
            }
        }
        return Contest {
            read(plain)
        } subject: {
            read(node.cache)
        }
    }

    /// Creates the table of a graph and fills it with books, and returns a connection.
    private static func fill(
        _ server: PostgresServer,
        _ schema: String,
        _ count: Int
    ) throws -> RawSession {
        _ = try BookNode.attachedGraph(server, schema, to: Cache())
        let session = try RawSession(server)
        try session.run(
            """
            INSERT INTO \(schema).book
            SELECT id, id + 1, 1, jsonb_build_object(
                'id', id, 'title', 'Book ' || lpad(id::text, 12, '0') || ', edition 000000',
                'author', 'book-' || lpad((id % 1000)::text, 15, '0'), 'year', 1900 + id % 120,
                'price', id / 7.0::float8, 'isInStock', id % 2 = 0)
            FROM generate_series(0, \(count - 1)) AS id;
            SELECT setval('\(schema)._versions', \(count + 1));
            """
        )
        try session.run("VACUUM ANALYZE \(schema).book")
        return session
    }
}
#endif
