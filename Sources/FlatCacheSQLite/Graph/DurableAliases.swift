#if canImport(SQLite3) || canImport(CSQLite)
public import FlatCache

/// The declaration of the aliases that a durable graph keeps: all aliases of a type's entities.
///
/// ```swift
/// import Foundation
///
/// let graph = try SQLiteGraph(URL(fileURLWithPath: "shop.sqlite")) {
///     Durable(Author.self, "author")
///     DurableAliases(of: Author.self)
/// }
/// try await graph.attach(to: cache)
/// let author = cache.alias("authorOfTheDay", of: Author.self).value
/// ```
///
/// The graph loads the aliases of the type when you attach it. An alias that the cache already
/// holds remains unchanged.
public struct DurableAliases<Value: Identifiable & Sendable>: Sendable
where Value.ID: Codable & Sendable {
    @usableFromInline let content: DeclaredContent

    /// Declares the aliases of a type.
    ///
    /// - Parameters:
    ///   - type: The type of the entities. The graph must also declare it with ``Durable``.
    ///   - loading: The time at which the graph loads the entities that the aliases point to. With
    ///     ``DurableLoading/onDemand``, an observation of an alias loads its entity. If the type is
    ///     declared with ``DurableLoading/atStart``, the parameter has no effect.
    @inlinable
    public init(of type: Value.Type, load loading: DurableLoading = .atStart) {
        // A table that is created here, in the client's module, is specialized for the type.
        content = DeclaredContent(aliasesOf: type, loading) { _ = $0.alias("", of: type) }
    }
}
#endif
