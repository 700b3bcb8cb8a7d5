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
