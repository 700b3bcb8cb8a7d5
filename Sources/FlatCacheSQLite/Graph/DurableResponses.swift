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
/// missing after a restart. A load of a request that the cache lacks reads the response from the
/// file, and then uses it by the policy of the load. The lifetime of the response continues in the
/// file. A response that has been stale for five minutes is missing, as in memory.
public struct DurableResponses: Sendable {
    let prefixes: [String]?
    let limit: DurableLimit

    /// Declares the responses of requests.
    ///
    /// For example, the prefix `"search?"` keeps the response of the request `"search?dune"`.
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
