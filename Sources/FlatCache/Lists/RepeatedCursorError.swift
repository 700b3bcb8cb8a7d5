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
