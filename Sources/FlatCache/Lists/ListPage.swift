/// A page of a list, as an endpoint returns it: values or references, and the cursor of the next
/// page.
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
/// The closure of ``CachedList/loadNext(_:)`` returns a page.
public struct ListPage<Element: Identifiable & Sendable>: Sendable where Element.ID: Sendable {
    /// The identifiers of the page's elements, in their order.
    public let ids: [Element.ID]
    /// The cursor of the next page, or `nil` if this page is the last one.
    public let next: String?
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
    @inlinable
    public init(_ values: some Sequence<Element>, next: String?) {
        self.values = Array(values)
        self.next = next
        ids = self.values.map { $0.id }
    }

    /// Creates a page of references to entities, whether or not they're stored yet.
    ///
    /// For example, a search can return the identifiers of books that are loaded later.
    ///
    /// - Parameters:
    ///   - references: The references, in their order.
    ///   - next: The cursor of the next page, or `nil` if this page is the last one.
    @_disfavoredOverload
    @inlinable
    public init(_ references: some Sequence<Related<Element>>, next: String?) {
        self.next = next
        values = []
        ids = references.map { $0.id }
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

/// An error that reports a server whose pages don't come to an end.
///
/// ```swift
/// let books = cache.list("books", of: Book.self)
/// do {
///     // The server answers every request with the same page.
///     while try await books.loadNext({ _ in ListPage(response.books, next: "page 2") }) {}
/// } catch let error as RepeatedCursorError {
///     print("The pages repeat after \(error.cursor).")
/// }
/// ```
///
/// ``CachedList/loadNext(_:)`` throws it if the page has no new element, and ends at a cursor where
/// an earlier page of the list ended. A loop that loads all pages would otherwise never end.
public struct RepeatedCursorError: Error, Hashable, Sendable {
    /// The cursor with which the page was requested.
    public let cursor: String
    /// The name of the list.
    public let listName: String
    /// The name of the type of the list's elements.
    public let elementType: String

    @usableFromInline
    init(cursor: String, listName: String, elementType: Any.Type) {
        self.cursor = cursor
        self.listName = listName
        self.elementType = "\(elementType)"
    }
}

extension RepeatedCursorError: CustomStringConvertible {
    /// A message that names the list, the type of its elements and the cursor.
    public var description: String {
        """
        The page after the cursor \(String(reflecting: cursor)) of the list \
        \(String(reflecting: listName)) of \(elementType) has no new element and ends at a cursor \
        where an earlier page ended. The server doesn't reach the end of the list.
        """
    }
}

/// An error that reports a page whose position in its list is unknown.
///
/// ```swift
/// let books = cache.list("books", of: Book.self)
/// do {
///     try books.merge(response.books, after: "page 7", next: "page 8")
/// } catch let error as UnknownCursorError {
///     print(error)  // The list has no page that ends at the cursor "page 7".
///     try books.merge(response.books, after: nil, next: "page 2")
/// }
/// ```
///
/// ``CachedList/merge(_:after:next:)-(Sequence<Element>,_,_)`` throws it if no page of the list
/// ends at the cursor. To recover, merge the first page again, without a cursor.
public struct UnknownCursorError: Error, Hashable, Sendable {
    /// The cursor after which the page was to be merged.
    public let cursor: String
    /// The name of the list.
    public let listName: String
    /// The name of the type of the list's elements.
    public let elementType: String

    @usableFromInline
    init(cursor: String, listName: String, elementType: Any.Type) {
        self.cursor = cursor
        self.listName = listName
        self.elementType = "\(elementType)"
    }
}

extension UnknownCursorError: CustomStringConvertible {
    /// A message that names the list, the type of its elements and the cursor.
    public var description: String {
        """
        The list \(String(reflecting: listName)) of \(elementType) has no page that ends at the \
        cursor \(String(reflecting: cursor)). Merge the first page again, without a cursor.
        """
    }
}
