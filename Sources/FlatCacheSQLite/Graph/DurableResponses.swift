#if canImport(SQLite3) || canImport(CSQLite)
/// The declaration of the responses of requests that a durable graph keeps.
///
/// ```swift
/// import Foundation
///
/// let graph = try SQLiteGraph(URL(fileURLWithPath: "shop.sqlite")) {
///     Durable(Book.self, "book")
///     DurableResponses(requestsWithPrefixes: ["categories", "search?"], limit: .count(500))
/// }
/// try await graph.attach(to: cache)
/// let categories = try await cache.load("categories", staleAfter: .seconds(86_400)) {
///     print("GET /categories")
///     return ["Fantasy", "Science fiction"]
/// }
/// ```
///
/// The graph keeps the responses of types that conform to `Codable`. A response of another type is
/// missing after a restart. A load or an observation of a request that the cache lacks reads the
/// response from the file. If the response is stale, the observation then makes the request. The
/// policy of a load decides whether the load does. The lifetime of the response continues in the
/// file. A response that has been stale for five minutes is missing, as in memory.
///
/// The response is loaded in one commit with the entities that it contains, or that the function of
/// its request has decoded. If memory has parts of a `Mergeable` entity already, the file fills in
/// the others. If the graph doesn't keep one of their types, or if a ``DurableLimit``
/// has deleted the row of one of the entities, the response is missing. If you have removed an
/// entity, the response remains.
public struct DurableResponses: Sendable {
    let prefixes: [String]?
    let limit: DurableLimit

    /// Declares the responses of requests.
    ///
    /// For example, the prefix `"search?"` keeps the response of the request `"search?dune"`, and
    /// `"list feed"` the time at which the loading list `feed` was reloaded.
    ///
    /// - Parameters:
    ///   - prefixes: The prefixes of the names of the requests to keep, or `nil` to keep all.
    ///   - limit: The limits of the responses to keep.
    public init(requestsWithPrefixes prefixes: [String]? = nil, limit: DurableLimit = .none) {
        self.prefixes = prefixes
        self.limit = limit
    }
}
#endif
