/// The state of a list for which a next page is requested.
///
/// Two requests are equal if they ask for the same page of the same list. A page is merged only
/// while the state of the list still matches its request.
@usableFromInline
struct PageRequest: Hashable, Sendable {
    @usableFromInline let list: CacheKey
    /// The commit in which the elements of the list were last replaced from the start.
    @usableFromInline let beginning: UInt64
    @usableFromInline let next: NextPage

    @usableFromInline
    init(list: CacheKey, beginning: UInt64, next: NextPage) {
        self.list = list
        self.beginning = beginning
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

// A list restarts when it's replaced, emptied or removed. A page that was requested before doesn't
// belong to the list afterwards. The state of a list can't tell the two apart: the restart of an
// empty list leaves the state as it was. So a restart counts as a removal for the leases of pages.
extension CacheCore {
    /// Restarts a list when the open transaction ends, unless it's rolled back.
    @usableFromInline
    func recordRestart<Element>(of name: String, in table: Table<ListState<Element>>) {
        if !writer.hasLeases { return }
        let list = CacheKey(ListState<Element>.self, id: name)
        writer.addEnding { [self] in
            table.recordForLeases(.removal, of: name, in: writer)
            pageLoads.separate { $0.list == list }
        }
    }
}
