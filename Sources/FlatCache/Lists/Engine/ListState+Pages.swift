// The pages of a list.
extension ListState {
    @usableFromInline var next: NextPage {
        if isComplete { return .end }
        return boundaries.last.map { .after($0.cursor) } ?? .unknown
    }

    /// `true` if the last boundary is the end of the list.
    var endsAtCursor: Bool { !isComplete || keepsLastCursor }

    /// The place of the page to request next, or `nil` if the list has ended without a cursor.
    var nextPlace: PagePlace? {
        guard endsAtCursor else { return nil }
        return boundaries.last.map { .after($0.cursor) } ?? .first
    }

    /// The number of pages that the list shows, at least one.
    ///
    /// A page that was added at the start is part of the first one.
    var pageCount: Int { max(1, boundaries.count + (endsAtCursor ? 0 : 1)) }

    /// Returns the list with a page in place of the elements that follow a cursor, or with a page
    /// before its elements.
    ///
    /// An identifier that occurs several times keeps its first position.
    ///
    /// - Parameters:
    ///   - page: The page.
    ///   - place: The place of the page.
    ///   - pinsElements: `true` if the list then pins its elements.
    ///   - version: The version of the commit.
    /// - Returns: The list, or `nil` if no page ends at the cursor.
    /// - Complexity: O(*n*) in the number of elements before and after.
    func merging(
        _ page: ListPage<Element>,
        at place: PagePlace,
        pinsElements: Bool,
        version: UInt64
    ) -> ListState? {
        var ids = page.ids
        var boundaries: [PageBoundary] = []
        switch place {
        case .first, .all: break
        case .after(let cursor):
            let last = self.boundaries.lastIndex { $0.cursor == cursor }
            guard let last else { return nil }
            boundaries = Array(self.boundaries[...last])
            ids = self.ids[..<boundaries[last].position] + page.ids
        case .before:
            var prepended = edited(to: page.ids + self.ids, pinsElements: pinsElements)
            prepended.startCursor = page.startCursor
            return prepended
        }
        let isFirst = boundaries.isEmpty
        var merged = ListState(
            id: id,
            ids: ids,
            pinsElements: pinsElements,
            beginning: isFirst ? version : beginning
        )
        if let next = page.next {
            // A server that sends one cursor with several pages means the last of them.
            boundaries.removeAll { $0.cursor == next }
            boundaries.append(PageBoundary(cursor: next, position: merged.ids.count))
        }
        merged.boundaries = boundaries
        merged.isComplete = page.isLast
        merged.keepsLastCursor = page.isLast && page.next != nil
        merged.startCursor = isFirst ? page.startCursor : startCursor
        return merged
    }

    /// Returns the pages of a reload with the edits that were made to the list since it began.
    ///
    /// - Parameters:
    ///   - base: The list when the reload began.
    ///   - written: The list with the edits.
    ///   - version: The version of the commit.
    /// - Complexity: O(*n* log *n*) in the number of elements.
    func reloaded(from base: ListState, editedTo written: ListState, version: UInt64) -> ListState {
        var reloaded = self
        reloaded.beginning = version
        if written.ids == base.ids { return reloaded }
        return reloaded.edited(
            to: written.editing(ids, since: base.ids),
            pinsElements: pinsElements
        )
    }

    /// Makes the edits of this list in another order.
    ///
    /// An element that was inserted or moved follows its nearest preceding neighbor of this list
    /// that the result contains, or is the first one.
    private func editing(_ order: [Element.ID], since base: [Element.ID]) -> [Element.ID] {
        var removed: Set<Element.ID> = []
        var placed: Set<Element.ID> = []
        for change in OrderDifference(from: base, to: ids).difference {
            switch change {
            case .remove(_, let id, _): removed.insert(id)
            case .insert(_, let id, _): placed.insert(id)
            }
        }
        let kept = order.filter { !removed.contains($0) && !placed.contains($0) }
        // An element that was moved is both removed and inserted. If the server has removed it,
        // the move doesn't bring it back.
        placed.subtract(removed.subtracting(order))
        let anchors = Set(kept)
        var start: [Element.ID] = []
        var followers: [Element.ID: [Element.ID]] = [:]
        var anchor: Element.ID?
        for id in ids {
            if anchors.contains(id) {
                anchor = id
            } else if placed.contains(id) {
                if let anchor {
                    followers[anchor, default: []].append(id)
                } else {
                    start.append(id)
                }
            }
        }
        return start + kept.flatMap { [$0] + followers[$0, default: []] }
    }

    /// Returns whether a requested page still belongs at its place.
    func matches(_ request: PageRequest) -> Bool {
        if beginning != request.beginning { return false }
        return switch request.place {
        case .first, .after: nextPlace == request.place
        case .before(let cursor): startCursor == cursor
        case .all: true
        }
    }

    /// Returns whether the list differs from an earlier state by edits alone.
    func continues(_ earlier: ListState) -> Bool {
        beginning == earlier.beginning && hasSamePages(as: earlier)
    }

    /// Returns whether a page after a cursor has no new element and ends where an earlier page
    /// ended, but isn't the last one.
    ///
    /// - Complexity: O(*n*) in the number of elements if the cursor repeats; otherwise, O(*n*) in
    ///   the number of pages.
    func repeats(_ page: ListPage<Element>, at place: PagePlace) -> Bool {
        guard case .after = place, !page.isLast,
            boundaries.contains(where: { $0.cursor == page.next })
        else { return false }
        return Set(ids).isSuperset(of: page.ids)
    }
}
