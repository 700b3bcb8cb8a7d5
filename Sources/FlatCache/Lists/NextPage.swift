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
    /// The next page is the first one, which is requested without a cursor.
    case unknown
    /// The next page begins after a cursor, which the server sent with the page before.
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
