/// A page of a list, as an endpoint returns it: values or references, and the cursors of the pages
/// around it.
///
/// ```swift
/// struct BooksPage: Decodable {
///     var items: [Related<Book>]
///     var next: String?
/// }
/// func page(of response: BooksPage) -> ListPage<Book> {
///     ListPage(response.items, next: response.next)
/// }
/// ```
///
/// The closures of ``CachedList/loadNext(_:)``, ``CachedList/loadPrevious(_:)`` and
/// ``CachedList/reload(_:)`` return pages.
///
/// If the server sends cursors at the ends of the whole list, too, pass them on to request rows
/// that are added there later:
///
/// ```swift
/// struct BooksConnection: Decodable {
///     var nodes: [Related<Book>]
///     var endCursor: String?
///     var hasNextPage: Bool
///     var startCursor: String?
/// }
/// func page(of response: BooksConnection) -> ListPage<Book> {
///     ListPage(
///         response.nodes,
///         next: response.endCursor,
///         isLast: !response.hasNextPage,
///         startCursor: response.startCursor
///     )
/// }
/// ```
public struct ListPage<Element: Identifiable & Sendable>: Sendable where Element.ID: Sendable {
    /// The identifiers of the page's elements, in their order.
    public let ids: [Element.ID]
    /// The cursor of the next page, or `nil` if there's none.
    public let next: String?
    /// A Boolean value that indicates whether this page is the last one.
    public let isLast: Bool
    /// The start cursor, for the rows before this page, or `nil` if there's none.
    public let startCursor: String?
    /// The values to store, if the page consists of values.
    @usableFromInline let values: [Element]

    /// Creates a page of values.
    ///
    /// ```swift
    /// let page = ListPage([Book(id: 1, title: "Tehanu")], next: "page 2")
    /// print(page.ids)  // [1]
    /// ```
    ///
    /// - Parameters:
    ///   - values: The values, in their order.
    ///   - next: The cursor of the next page, or `nil` if this page is the last one.
    ///   - isLast: A Boolean value that indicates whether this page is the last one although it has
    ///     a cursor. The list is then complete, and ``CachedList/loadNext(_:)`` requests the rows
    ///     that the server has added at the end since.
    ///   - startCursor: The cursor with which ``CachedList/loadPrevious(_:)`` requests the rows
    ///     before this page, or `nil` if there's none. It counts for a first page, and for a page
    ///     that is added at the start.
    @inlinable
    public init(
        _ values: some Sequence<Element>,
        next: String?,
        isLast: Bool = false,
        startCursor: String? = nil
    ) {
        self.values = Array(values)
        self.next = next
        self.isLast = isLast || next == nil
        self.startCursor = startCursor
        ids = self.values.map { $0.id }
    }

    /// Creates a page of references to entities, whether or not they're stored yet.
    ///
    /// For example, a search can return the identifiers of books that are loaded later.
    ///
    /// - Parameters:
    ///   - references: The references, in their order.
    ///   - next: The cursor of the next page, or `nil` if this page is the last one.
    ///   - isLast: A Boolean value that indicates whether this page is the last one although it has
    ///     a cursor.
    ///   - startCursor: The cursor with which to request the rows before this page, or `nil` if
    ///     there's none.
    @_disfavoredOverload
    @inlinable
    public init(
        _ references: some Sequence<Related<Element>>,
        next: String?,
        isLast: Bool = false,
        startCursor: String? = nil
    ) {
        self.next = next
        self.isLast = isLast || next == nil
        self.startCursor = startCursor
        values = []
        ids = references.map { $0.id }
    }

    /// Creates a page with some elements of another one.
    init(_ ids: [Element.ID], of page: ListPage) {
        self.ids = ids
        next = page.next
        isLast = page.isLast
        startCursor = page.startCursor
        values = page.values
    }
}

/// The position of the page that follows the pages of a list.
///
/// ```swift
/// switch cache.list("books", of: Book.self).next {
/// case .unknown: print("No page has been merged.")
/// case .after(let cursor): print("The next page begins after \(cursor).")
/// case .end: print("The list is complete.")
/// }
/// ```
public enum NextPage: Hashable, Sendable, CustomStringConvertible {
    /// No page has been merged since the list was created, replaced or emptied.
    ///
    /// The next page is the first one. It's requested without a cursor.
    case unknown
    /// The next page begins after a cursor that the server sent with the page before.
    case after(_ cursor: String)
    /// The last page has been merged.
    ///
    /// The list can nevertheless keep the cursor of that page: see
    /// ``ListPage/init(_:next:isLast:startCursor:)-(Sequence<Element>,_,_,_)``.
    case end

    /// The cursor with which to request the next page, or `nil` if the next page is the first one
    /// or doesn't exist.
    public var cursor: String? {
        if case .after(let cursor) = self { cursor } else { nil }
    }

    /// A textual representation, such as `after page 2`.
    public var description: String {
        switch self {
        case .unknown: "unknown"
        case .after(let cursor): "after \(cursor)"
        case .end: "end"
        }
    }
}

/// An error that reports a cursor that doesn't continue a list.
///
/// ```swift
/// let books = cache.list("books", of: Book.self)
/// do {
///     try books.merge(response.books, after: "page 7", next: "page 8")
/// } catch let error where error.kind == .unknown {
///     print(error)  // The list has no page that ends at the cursor "page 7".
///     try books.merge(response.books, after: nil, next: "page 2")
/// }
/// ```
public struct CursorError: Error, Hashable, Sendable {
    /// The reasons for which a cursor doesn't continue a list.
    public enum Kind: Hashable, Sendable {
        /// No page of the list ends at the cursor.
        ///
        /// ``CachedList/merge(_:after:)`` and its variants throw this error. To recover, merge the
        /// first page again, without a cursor.
        case unknown
        /// The page after the cursor has no new element, and ends at a cursor where an earlier page
        /// of the list ended.
        ///
        /// ``CachedList/loadNext(_:)`` and ``CachedList/reload(_:)`` throw this error. A loop that
        /// loads all pages would otherwise never end.
        case repeated
    }

    /// The reason.
    public let kind: Kind
    /// The cursor with which the page was requested.
    public let cursor: String
    /// The name of the list.
    public let listName: String
    /// The name of the type of the list's elements.
    public let elementType: String
}

extension CursorError: CustomStringConvertible {
    /// A message that names the list, the type of its elements and the cursor.
    public var description: String {
        let cursor = String(reflecting: cursor)
        let list = "list \(String(reflecting: listName)) of \(elementType)"
        return switch kind {
        case .unknown:
            """
            The \(list) has no page that ends at the cursor \(cursor). Merge the first page again, \
            without a cursor.
            """
        case .repeated:
            """
            The page after the cursor \(cursor) of the \(list) has no new element and ends at a \
            cursor where an earlier page ended. The server doesn't reach the end of the list.
            """
        }
    }
}
