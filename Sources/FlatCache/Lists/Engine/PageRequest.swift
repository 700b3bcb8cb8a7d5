/// The place of a page in a list.
@usableFromInline
enum PagePlace: Hashable, Sendable {
    /// The whole list, to be replaced by the first page.
    case first
    case after(_ cursor: String)
    case before(_ cursor: String)
    /// The whole list, to be replaced by a reload.
    case all

    var cursor: String? {
        switch self {
        case .first, .all: nil
        case .after(let cursor), .before(let cursor): cursor
        }
    }
}

/// The state of a list for which a page, or all pages, are requested.
///
/// Two requests are equal if they ask for the same page of the same list. A page is merged only
/// while the state of the list still matches its request.
@usableFromInline
struct PageRequest: Hashable, Sendable {
    let list: CacheKey
    /// The commit in which the elements of the list were last replaced from the start.
    let beginning: UInt64
    let place: PagePlace

    /// The request for all pages of the list.
    var ofAllPages: PageRequest { PageRequest(list: list, beginning: beginning, place: .all) }
}

/// The outcome of a request for a page, shared by all callers that wait for the page.
@usableFromInline
enum PageOutcome: Sendable {
    /// The page is in the list.
    case merged
    /// The page is in the list, adds no element, and nothing is known to follow it.
    case unchanged
    /// The page has no new element and repeats the cursor of an earlier page.
    case repeated
    /// The list changed during the request, so that the page no longer belongs to it.
    case dropped
    /// The list was evicted during its reload.
    case evicted
    /// The list changed before the request, or was reloaded during the request, so that another
    /// page has to be requested.
    case outdated
    /// A reload of the list is running, so that the page isn't merged yet.
    case reloading
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
            // The lease of an answer that restarts the list has ended by then.
            if writer.hasLeases { table.recordForLeases(.removal, of: name, in: writer) }
            pageLoads.separate { $0.list == list }
        }
    }
}
