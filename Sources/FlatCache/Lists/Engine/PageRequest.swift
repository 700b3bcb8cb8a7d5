/// The state of a list for which a next page is requested.
///
/// Two requests are equal if they ask for the same page of the same list. A page is merged only
/// while the state of the list still matches its request.
@usableFromInline
struct PageRequest: Hashable, Sendable {
    @usableFromInline let list: CacheKey
    /// The commit in which the elements of the list were last replaced from the start.
    @usableFromInline let beginning: UInt64
    /// The latest restart of the list, even if it left the list's state as it was.
    @usableFromInline let restart: UInt64
    @usableFromInline let next: NextPage

    @usableFromInline
    init(list: CacheKey, beginning: UInt64, restart: UInt64, next: NextPage) {
        self.list = list
        self.beginning = beginning
        self.restart = restart
        self.next = next
    }
}

/// The outcome of a request for a page, shared by all callers that wait for the page.
@usableFromInline
enum PageOutcome: Sendable {
    /// The page is in the list.
    case merged
    /// The page has no new element and repeats the cursor of an earlier page.
    case repeated
    /// The list changed during the request, so that the page no longer belongs to it.
    case dropped
    /// The list changed before the request, so that the request wasn't made.
    case outdated
}

/// The end of a page in the stored state of a list.
@usableFromInline
package struct PageBoundary: Hashable, Sendable {
    /// The cursor that the server sent with the page, with which the next page is requested.
    @usableFromInline package let cursor: String
    /// The number of elements up to the end of the page.
    @usableFromInline package var position: Int

    @usableFromInline
    package init(cursor: String, position: Int) {
        self.cursor = cursor
        self.position = position
    }
}
