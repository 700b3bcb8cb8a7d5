#if canImport(SQLite3) || canImport(CSQLite)
public import FlatCache

/// The declaration of a list that a durable graph keeps, with the cursors of its pages.
///
/// ```swift
/// import Foundation
///
/// let graph = try SQLiteGraph(URL(fileURLWithPath: "shop.sqlite")) {
///     Durable(Book.self, "book")
///     DurableList("bestsellers", of: Book.self)
/// }
/// try await graph.attach(to: cache)
/// let books = cache.list("bestsellers", of: Book.self).elements
/// ```
///
/// The graph loads the list when you attach it, unless the cache holds the list already. The loaded
/// list has its elements in their order, its pages and `next`, and continues with the next page.
/// The transaction that writes an edit of the list also writes the entities of the same commit.
public struct DurableList<Element: Identifiable & Sendable>: Sendable
where Element.ID: Codable & Sendable {
    let kept: KeptList
    let createTable: @Sendable (Cache) -> Void

    /// Declares a list.
    ///
    /// - Parameters:
    ///   - name: The name of the list in the cache.
    ///   - type: The type of the elements. The graph must also declare it with ``Durable``.
    ///   - storedName: The name of the list in the file, or `nil` if it's the one in the cache. If
    ///     you rename a list, pass its former name.
    ///   - loading: The time at which the graph loads the elements. With
    ///     ``DurableLoading/onDemand``, an observation of the list loads them. If the type of the
    ///     elements is declared with ``DurableLoading/atStart``, the parameter has no effect.
    @inlinable
    public init(
        _ name: String,
        of type: Element.Type,
        storedAs storedName: String? = nil,
        load loading: DurableLoading = .atStart
    ) {
        self.init(
            name: name,
            storedName: storedName ?? name,
            loading: loading,
            // A table that is created here, in the client's module, is specialized for the type.
            createTable: { _ = $0.list(name, of: type) }
        )
    }

    @usableFromInline
    init(
        name: String,
        storedName: String,
        loading: DurableLoading,
        createTable: @escaping @Sendable (Cache) -> Void
    ) {
        kept = KeptList(name: name, storedName: storedName, loading: loading)
        self.createTable = createTable
    }
}
#endif
