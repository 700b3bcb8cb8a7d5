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
    /// The positions never decrease. If `endsAtCursor` is `true`, the last boundary is the end of
    /// the list.
    @usableFromInline package internal(set) var boundaries: [PageBoundary] = []

    /// `true` if the last page has been merged.
    @usableFromInline package internal(set) var isComplete = false

    /// `true` if the last page has been merged and has a cursor.
    ///
    /// Rows that the server appends later can be requested with it.
    @usableFromInline package internal(set) var keepsLastCursor = false

    /// The start cursor, if the server has sent one.
    @usableFromInline package internal(set) var startCursor: String?

    /// The version of the commit that last replaced the elements from the start.
    ///
    /// It distinguishes a page requested before that commit from one requested after it. It isn't
    /// part of the content: two equal states can have different beginnings.
    @usableFromInline var beginning: UInt64

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
    ///   - keepsLastCursor: `true` if the last page is among them and has a cursor.
    ///   - startCursor: The cursor of the rows before the first element.
    package init(
        id: String,
        ids: [Element.ID],
        pinsElements: Bool,
        boundaries: [PageBoundary],
        isComplete: Bool,
        keepsLastCursor: Bool = false,
        startCursor: String? = nil
    ) {
        self.init(id: id, ids: ids, pinsElements: pinsElements)
        let positions = boundaries.map(\.position)
        let areInOrder = positions == positions.sorted() && positions.first ?? 0 >= 0
        let cursors = Set(boundaries.map(\.cursor))
        let endsAtCursor = !isComplete || keepsLastCursor
        let end = positions.last ?? (isComplete && endsAtCursor ? -1 : ids.count)
        guard self.ids.count == ids.count, areInOrder, cursors.count == boundaries.count,
            endsAtCursor ? end == ids.count : end <= ids.count
        else { return }
        self.boundaries = boundaries
        self.isComplete = isComplete
        self.keepsLastCursor = isComplete && keepsLastCursor
        self.startCursor = startCursor
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
        edited.keepsLastCursor = keepsLastCursor
        edited.startCursor = startCursor
        return edited
    }

    /// Returns the boundaries of the pages after an edit.
    ///
    /// A boundary follows all remaining elements of the pages before it, so that a page that is
    /// merged there removes none of them. For example, if the first page is `[1, 2]` and the list
    /// becomes `[2, 3, 1, 4]`, the boundary after the first page moves behind the 1. A boundary at
    /// the end of the list remains there.
    @usableFromInline
    func boundaries(in newIDs: [Element.ID]) -> [PageBoundary] {
        var boundaries = boundaries
        guard let last = boundaries.indices.last else { return [] }
        let innerCount = endsAtCursor ? last : boundaries.count
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
        if endsAtCursor { boundaries[last].position = newIDs.count }
        return boundaries
    }

    /// Returns whether the list has the same elements and pages as another state of the list.
    @usableFromInline
    func hasSameContent(as other: ListState) -> Bool {
        ids == other.ids && boundaries == other.boundaries && hasSamePages(as: other)
    }

    /// Returns whether the list has pages with the same cursors as another state of the list,
    /// regardless of their elements.
    func hasSamePages(as other: ListState) -> Bool {
        isComplete == other.isComplete && keepsLastCursor == other.keepsLastCursor
            && startCursor == other.startCursor && boundaries.count == other.boundaries.count
            && zip(boundaries, other.boundaries).allSatisfy { $0.cursor == $1.cursor }
    }

    func checkInvariants() {
        precondition(Set(ids).count == ids.count, "An identifier occurs twice.")
        precondition(Set(boundaries.map(\.cursor)).count == boundaries.count, "A cursor repeats.")
        let positions = boundaries.map(\.position)
        precondition(positions == positions.sorted(), "The positions decrease.")
        precondition(positions.allSatisfy { 0...ids.count ~= $0 }, "A position is out of bounds.")
        precondition(
            !endsAtCursor || boundaries.isEmpty || positions.last == ids.count,
            "The list continues after its last cursor."
        )
        precondition(
            !keepsLastCursor || isComplete && !boundaries.isEmpty,
            "A list without a last page keeps its cursor."
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
