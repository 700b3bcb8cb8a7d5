/// The stored state of a named list: a value that refers to the elements of the list.
///
/// The cache treats it like any other value. Observers of the list are therefore notified of
/// changes to its elements, a batch can change both in one commit, and no other part of the cache
/// depends on lists.
@usableFromInline
package struct ListState<Element: Identifiable & Sendable>: Identifiable, Sendable
where Element.ID: Sendable {
    /// The name of the list.
    @usableFromInline package private(set) var id: String
    /// The identifiers of the elements, without duplicates.
    @usableFromInline package private(set) var ids: [Element.ID]

    /// `true` if the list pins its elements.
    @usableFromInline package let pinsElements: Bool

    /// The ends of the pages that have a cursor, in their order.
    ///
    /// The positions never decrease. Unless the list is complete, the last boundary is the end of
    /// the list.
    @usableFromInline package private(set) var boundaries: [PageBoundary] = []

    /// `true` if the last page has been merged.
    @usableFromInline package private(set) var isComplete = false

    /// The version of the commit that last replaced the elements from the start.
    ///
    /// It distinguishes a page requested before that commit from one requested after it. It isn't
    /// part of the content: two equal states can have different beginnings.
    @usableFromInline private(set) var beginning: UInt64

    /// Creates a list without pages, in which a repeated identifier keeps its first position.
    @usableFromInline
    init(id: String, ids: [Element.ID], pinsElements: Bool, beginning: UInt64 = 0) {
        self.id = id
        self.pinsElements = pinsElements
        self.beginning = beginning
        var seen = Set<Element.ID>(minimumCapacity: ids.count)
        let hasRepetitions = ids.contains { !seen.insert($0).inserted }
        if hasRepetitions {
            seen.removeAll(keepingCapacity: true)
            self.ids = ids.filter { seen.insert($0).inserted }
        } else {
            self.ids = ids
        }
    }
}

extension ListState {
    /// Creates the state of a list with pages, as it was read from another state.
    ///
    /// - Parameters:
    ///   - id: The name of the list.
    ///   - ids: The identifiers of the elements.
    ///   - pinsElements: `true` if the list pins its elements.
    ///   - boundaries: The ends of the pages. If they don't fit the elements, the list has no
    ///     pages.
    ///   - isComplete: `true` if the last page is among them.
    package init(
        id: String,
        ids: [Element.ID],
        pinsElements: Bool,
        boundaries: [PageBoundary],
        isComplete: Bool
    ) {
        self.init(id: id, ids: ids, pinsElements: pinsElements)
        let positions = boundaries.map(\.position)
        let areInOrder = positions == positions.sorted() && positions.first ?? 0 >= 0
        let cursors = Set(boundaries.map(\.cursor))
        guard self.ids.count == ids.count, areInOrder, cursors.count == boundaries.count,
            isComplete ? positions.last ?? 0 <= ids.count : positions.last ?? ids.count == ids.count
        else { return }
        self.boundaries = boundaries
        self.isComplete = isComplete
    }

    /// Returns the state under another name.
    package func named(_ name: String) -> ListState {
        var named = self
        named.id = name
        return named
    }

    /// Returns a stored state with the elements of this one appended, or `nil` if this one replaces
    /// the stored state.
    ///
    /// This state results from edits that were made while memory lacked the stored state.
    package func appended(to stored: ListState) -> ListState? {
        guard beginning == 0 else { return nil }
        return stored.edited(to: stored.ids + ids, pinsElements: pinsElements)
    }

    @usableFromInline var next: NextPage {
        if isComplete { return .end }
        return boundaries.last.map { .after($0.cursor) } ?? .unknown
    }

    /// Returns the list with other identifiers after an edit that isn't a page.
    ///
    /// The boundaries of the pages move with the elements: see ``boundaries(in:)``.
    ///
    /// - Complexity: O(*n*) in the number of elements before and after.
    @usableFromInline
    func edited(to ids: [Element.ID], pinsElements: Bool) -> ListState {
        var edited = ListState(
            id: id,
            ids: ids,
            pinsElements: pinsElements,
            beginning: beginning
        )
        edited.boundaries = boundaries(in: edited.ids)
        edited.isComplete = isComplete
        return edited
    }

    /// Returns the list with a page in place of the elements that follow a cursor.
    ///
    /// An identifier that occurs before the cursor and in the page keeps its position before the
    /// cursor.
    ///
    /// - Parameters:
    ///   - page: The identifiers of the page.
    ///   - cursor: The cursor, or `nil` if the page replaces all elements.
    ///   - next: The cursor of the next page, or `nil` if the page is the last one.
    ///   - pinsElements: `true` if the list then pins its elements.
    ///   - version: The version of the commit.
    /// - Returns: The list, or `nil` if no page ends at the cursor.
    /// - Complexity: O(*n*) in the number of elements before and after.
    @usableFromInline
    func merging(
        _ page: [Element.ID],
        after cursor: String?,
        next: String?,
        pinsElements: Bool,
        version: UInt64
    ) -> ListState? {
        var ids = page
        var boundaries: [PageBoundary] = []
        if let cursor {
            let last = self.boundaries.lastIndex { $0.cursor == cursor }
            guard let last else { return nil }
            boundaries = Array(self.boundaries[...last])
            ids = self.ids[..<boundaries[last].position] + page
        }
        var merged = ListState(
            id: id,
            ids: ids,
            pinsElements: pinsElements,
            beginning: cursor == nil ? version : beginning
        )
        if let next {
            // A server that sends one cursor with several pages means the last of them.
            boundaries.removeAll { $0.cursor == next }
            boundaries.append(PageBoundary(cursor: next, position: merged.ids.count))
        }
        merged.boundaries = boundaries
        merged.isComplete = next == nil
        return merged
    }

    /// Returns the boundaries of the pages after an edit.
    ///
    /// A boundary follows all remaining elements of the pages before it, so that a page that is
    /// merged there removes none of them. For example, if the first page is `[1, 2]` and the list
    /// becomes `[2, 3, 1, 4]`, the boundary after the first page moves behind the 1. The last
    /// boundary of an incomplete list remains its end.
    @usableFromInline
    func boundaries(in newIDs: [Element.ID]) -> [PageBoundary] {
        var boundaries = boundaries
        guard let last = boundaries.indices.last else { return [] }
        let innerCount = isComplete ? boundaries.count : last
        if innerCount > 0 {
            var newIndices: [Element.ID: Int] = [:]
            newIndices.reserveCapacity(newIDs.count)
            for (index, id) in newIDs.enumerated() { newIndices[id] = index }
            var oldIndex = 0
            var newPosition = 0
            for inner in 0..<innerCount {
                while oldIndex < boundaries[inner].position {
                    if let newIndex = newIndices[ids[oldIndex]] {
                        newPosition = max(newPosition, newIndex + 1)
                    }
                    oldIndex += 1
                }
                boundaries[inner].position = newPosition
            }
        }
        if !isComplete { boundaries[last].position = newIDs.count }
        return boundaries
    }

    /// Returns a Boolean value that indicates whether the list has the same elements and pages as
    /// another state of the list.
    @usableFromInline
    func hasSameContent(as other: ListState) -> Bool {
        ids == other.ids && isComplete == other.isComplete && boundaries == other.boundaries
    }

    /// Returns a Boolean value that indicates whether a requested page still belongs at the end of
    /// the list.
    @usableFromInline
    func matches(_ request: PageRequest) -> Bool {
        next == request.next && beginning == request.beginning
    }

    /// Returns a Boolean value that indicates whether a page at the end of the list has no new
    /// element and ends where an earlier page ended.
    ///
    /// - Complexity: O(*n*) in the number of elements if the cursor repeats; otherwise, O(*n*) in
    ///   the number of pages.
    @usableFromInline
    func repeats(_ page: [Element.ID], next: String?) -> Bool {
        guard boundaries.contains(where: { $0.cursor == next }) else { return false }
        return Set(ids).isSuperset(of: page)
    }

    func checkInvariants() {
        precondition(Set(ids).count == ids.count, "An identifier occurs twice.")
        precondition(Set(boundaries.map(\.cursor)).count == boundaries.count, "A cursor repeats.")
        let positions = boundaries.map(\.position)
        precondition(positions == positions.sorted(), "The positions decrease.")
        precondition(positions.allSatisfy { 0...ids.count ~= $0 }, "A position is out of bounds.")
        precondition(
            isComplete || boundaries.isEmpty || positions.last == ids.count,
            "The list continues after its last cursor."
        )
    }
}

extension ListState: Equatable {
    @usableFromInline
    package static func == (left: ListState, right: ListState) -> Bool {
        left.id == right.id && left.pinsElements == right.pinsElements
            && left.hasSameContent(as: right)
    }
}

extension ListState: HasCachedRelationships {
    @usableFromInline package var relatedCacheKeys: Set<CacheKey> { Set(listedCacheKeys) }
}

extension ListState: ListsRelatedKeys {
    @usableFromInline var listedCacheKeys: [CacheKey] { ids.map { CacheKey(Element.self, id: $0) } }
}

extension ListState: PinsEntities {
    @usableFromInline var pinnedCacheKeys: Set<CacheKey> { pinsElements ? relatedCacheKeys : [] }
}

/// The stored state of a list.
///
/// It refers to the elements of the list.
@usableFromInline
protocol ListsRelatedKeys {
    /// The keys that the list refers to, each once.
    ///
    /// Unlike a set, an array of many keys takes hardly any time to build.
    var listedCacheKeys: [CacheKey] { get }
}
