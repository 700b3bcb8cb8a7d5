#if canImport(CPostgres)
import FlatCache
import FlatCachePostgres
import Foundation

/// A node of a service: a cache with a graph that imports the writes of the other nodes.
final class BookNode: Sendable {
    let cache = Cache()
    let graph: PostgresGraph
    private let run: Task<Void, any Error>

    /// Creates the schema if necessary, loads the books, and imports changes from then on.
    init(
        _ server: PostgresServer,
        _ schema: String,
        connections: Int = 4,
        load loading: ReplicatedLoading = .onDemand
    ) throws {
        let graph = try Self.attachedGraph(server, schema, connections, loading, to: cache)
        self.graph = graph
        run = Task { try await graph.run() }
    }

    /// Returns a graph that doesn't run.
    static func attachedGraph(
        _ server: PostgresServer,
        _ schema: String,
        _ connections: Int = 4,
        _ loading: ReplicatedLoading = .onDemand,
        to cache: Cache
    ) throws -> PostgresGraph {
        let graph = PostgresGraph(server.address, schema: schema, connections: connections) {
            Replicated(StoredBook.self, "book", load: loading)
        }
        try Row.wait { try await graph.attach(to: cache) }
        return graph
    }

    deinit { run.cancel() }

    /// Sets the year of a stored book.
    func setYear(_ year: Int, of id: Int) async throws {
        try await graph.write { batch in
            guard var book = try await batch.get(StoredBook.self, id: id) else { return }
            book.year = year
            batch.set(book)
        }
    }
}

extension Row {
    /// Returns a name for a schema that no other row of this process uses.
    static func newSchema(_ row: String) -> String { "row_\(row)_\(getpid())" }

    /// Returns the server.
    ///
    /// - Parameter isFlushing: `true` if a commit waits until the disk has stored it.
    static func server(flushing isFlushing: Bool) throws -> PostgresServer {
        let server = try PostgresServer.started.get()
        let session = try RawSession(server)
        try session.run("ALTER SYSTEM SET fsync = \(isFlushing)")
        try session.run("SELECT pg_reload_conf()")
        return server
    }

    /// Fails if there is no PostgreSQL.
    @Sendable static func requirePostgres() throws { _ = try PostgresServer.started.get() }
}
#endif
