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
    @usableFromInline let content: DeclaredContent

    /// Declares a list.
    ///
    /// - Parameters:
    ///   - name: The name of the list, in the cache and in the file.
    ///   - type: The type of the elements. The graph must also declare it with ``Durable``.
    ///   - loading: The time at which the graph loads the elements. With
    ///     ``DurableLoading/onDemand``, an observation of the list loads them. If the type of the
    ///     elements is declared with ``DurableLoading/atStart``, the parameter has no effect.
    @inlinable
    public init(
        _ name: String,
        of type: Element.Type,
        load loading: DurableLoading = .atStart
    ) {
        // A table that is created here, in the client's module, is specialized for the type.
        content = DeclaredContent(list: name, of: type, loading) { _ = $0.list(name, of: type) }
    }
}

/// The declaration of all lists of a type whose names begin with a prefix, such as one list for
/// each search term.
///
/// ```swift
/// import Foundation
///
/// let graph = try SQLiteGraph(URL(fileURLWithPath: "shop.sqlite")) {
///     Durable(Book.self, "book")
///     DurableLists(withPrefix: "search?", of: Book.self, maximumCount: 200)
/// }
/// try await graph.attach(to: cache)
/// let found = cache.list("search?dune", of: Book.self)
/// ```
///
/// The graph keeps such a list as one that you declare with ``DurableList``, and loads the lists
/// when you attach it. It loads the elements when a list is observed, since there can be any number
/// of lists.
public struct DurableLists<Element: Identifiable & Sendable>: Sendable
where Element.ID: Codable & Sendable {
    @usableFromInline let content: DeclaredContent

    /// Declares lists.
    ///
    /// - Parameters:
    ///   - prefix: The beginning of the lists' names. If it's empty, the graph keeps all lists of
    ///     the type. A prefix that begins with the prefix of another declaration for the same type
    ///     is a programmer error and traps. A list that is also declared with ``DurableList``
    ///     follows that declaration.
    ///   - type: The type of the elements. The graph must also declare it with ``Durable``.
    ///   - maximumCount: The maximum number of lists in the file, or `nil` for any number. If there
    ///     are more when the graph is attached or writes a list, the graph deletes the rows of the
    ///     least recently written ones, down to nine tenths of the number. The lists of one flush
    ///     count as written at one time. Lists that other processes have written count, too.
    ///     Storing the content that a list already has isn't a write. Lists in memory and elements
    ///     aren't affected. A number below one is a programmer error and traps.
    ///   - loading: The time at which the graph loads the elements. With
    ///     ``DurableLoading/onDemand``, an observation of a list loads its elements. If the type of
    ///     the elements is declared with ``DurableLoading/atStart``, the parameter has no effect.
    @inlinable
    public init(
        withPrefix prefix: String,
        of type: Element.Type,
        maximumCount: Int? = nil,
        load loading: DurableLoading = .onDemand
    ) {
        // A table that is created here, in the client's module, is specialized for the type.
        content = DeclaredContent(listsWithPrefix: prefix, of: type, maximumCount, loading) {
            _ = $0.list(prefix, of: type)
        }
    }
}
#endif
