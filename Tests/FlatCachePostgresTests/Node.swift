#if canImport(CPostgres)
import FlatCache
import Foundation
import TestSupport
import Testing

@testable import FlatCachePostgres

struct Book: Codable, Equatable, Sendable, Identifiable, CacheEntity {
    var id: Int
    var title: String
    var copies = 0
}

struct Order: Codable, Equatable, Sendable, Identifiable, CacheEntity {
    var id: UUID
    var book: Int
}

struct Author: Codable, Equatable, Sendable, Identifiable, CacheEntity {
    var id: String
    var name: String
}

struct Customer: Codable, Equatable, Sendable, Identifiable, CacheEntity {
    var id: Int
    var name: String
}

/// The error of a row that a test expects.
struct Missing: Error {}

/// A cache with an attached graph.
final class Node: Sendable {
    let cache = Cache()
    let graph: PostgresGraph
    let server: PostgresServer
    let schema: String

    init(
        _ schema: String,
        _ server: PostgresServer = .shared,
        address: String? = nil,
        @PostgresGraphBuilder _ declarations: () -> [PostgresGraphBuilder.Declaration]
    ) async throws {
        self.server = server
        self.schema = schema
        let address = address ?? server.address
        var configuration = PostgresConfiguration(
            connection: { address },
            schema: Schema(schema)
        )
        // A busy machine may be slow, and no test of a lost server uses these.
        configuration.statementTimeout = .seconds(300)
        configuration.answerTimeout = hangLimit
        configuration.connectTimeout = .seconds(60)
        configuration.showingTime = hangLimit
        graph = PostgresGraph(configuration, connections: 4, { _ in }, declarations())
        try await graph.attach(to: cache)
    }

    /// Creates a node whose connection string may change.
    init(
        _ schema: String,
        _ configuration: PostgresConfiguration,
        onEvent: @escaping @Sendable (PostgresGraphEvent) -> Void = { _ in },
        @PostgresGraphBuilder _ declarations: () -> [PostgresGraphBuilder.Declaration]
    ) async throws {
        server = .shared
        self.schema = schema
        var configuration = configuration
        configuration.showingTime = hangLimit
        graph = PostgresGraph(configuration, connections: 2, onEvent, declarations())
        try await graph.attach(to: cache)
    }

    /// Creates a node with books, orders and authors.
    convenience init(_ schema: String, books: ReplicatedLoading = .onDemand) async throws {
        try await self.init(schema) {
            Replicated(Book.self, "book", load: books)
            Replicated(Order.self, "orders")
            Replicated(Author.self, "author")
        }
    }

    /// Imports what is committed by now.
    func synchronize() async throws {
        try await graph.wait(for: graph.token(), timeout: hangLimit)
    }
}

/// Repeats a call until the connection is back.
///
/// Only time passes until a server or a proxy, which is another process or thread, answers.
@discardableResult
func retry<Result>(_ body: () async throws -> Result) async throws -> Result {
    let deadline = ContinuousClock.now + hangLimit
    while ContinuousClock.now < deadline {
        do {
            return try await body()
        } catch let error as PostgresGraphError
            where [.disconnected, .conflict].contains(error.kind)
        {
            try await Task.sleep(for: .milliseconds(20))
        }
    }
    return try await body()
}

extension PostgresGraph {
    /// Returns the token of the present.
    func token() async throws -> String { try await write { _ in }.token }
}
#endif
