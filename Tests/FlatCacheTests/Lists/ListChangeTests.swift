import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct ListChangeTests {
    private let key = CacheKey(ListState<Book>.self, id: "list")

    private func change(
        from old: [Int]?,
        to new: [Int]?,
        causes: Set<CacheKey>
    ) -> ListChange<Book> {
        ListChange(
            EntityChange(
                id: "list",
                kind: .updated,
                old: old.map { ListState(id: "list", ids: $0, pinsElements: true) },
                new: new.map { ListState(id: "list", ids: $0, pinsElements: true) },
                causes: causes,
                version: 7
            )
        )
    }

    @Test func hasTheOrdersBeforeAndAfter() {
        let change = change(from: [1, 2, 3], to: [3, 1], causes: [key])
        #expect(change.oldIDs == [1, 2, 3])
        #expect(change.ids == [3, 1])
        #expect(change.hasNewOrder)
        #expect([1, 2, 3].applying(change.difference) == [3, 1])
        #expect(change.version == 7)
    }

    @Test func missingListHasNoElements() {
        let arrival = change(from: nil, to: [1], causes: [key])
        #expect(arrival.oldIDs == [])
        #expect(arrival.hasNewOrder)
        #expect([].applying(arrival.difference) == [1])
        let departure = change(from: [1], to: nil, causes: [key])
        #expect(departure.ids == [])
        #expect([1].applying(departure.difference) == [])
    }

    @Test func listItselfIsNoCause() {
        let book = CacheKey(Book.self, id: 1)
        #expect(change(from: [1], to: [1, 2], causes: [key, book]).causes == [book])
        #expect(change(from: [1], to: [1, 2], causes: [key]).causes == [])
    }

    @Test func withTheSameOrderThereIsNoDifference() {
        let change = change(from: [1, 2], to: [1, 2], causes: [CacheKey(Book.self, id: 1)])
        #expect(!change.hasNewOrder)
        #expect(change.difference.isEmpty)
    }

    @Test func changedIdentifiersAreElements() {
        let change = change(
            from: [1, 2],
            to: [1, 2, 3],
            causes: [
                key, CacheKey(Book.self, id: 2), CacheKey(Book.self, id: 3),
                CacheKey(Author.self, id: "le-guin"), CacheKey(Note.self, id: 1),
            ]
        )
        #expect(change.changedIDs == [2, 3])
    }

    @Test func relatedEntitiesOfTheSameTypeArentChangedElements() {
        let change = change(from: [1, 2], to: [1, 2], causes: [CacheKey(Book.self, id: 9)])
        #expect(change.changedIDs == [])
        #expect(change.causes == [CacheKey(Book.self, id: 9)])
    }

    @Test func changedIdentifiersHaveTheirOwnType() {
        struct ShelfMark: Hashable, Sendable {
            let room: Int
            let place: Int
        }
        struct Copy: Identifiable, Sendable {
            let id: ShelfMark
        }
        let marks = (1...2).map { ShelfMark(room: 1, place: $0) }
        let state = ListState<Copy>(id: "list", ids: marks, pinsElements: true)
        let change = ListChange(
            EntityChange(
                id: "list",
                kind: .related,
                old: state,
                new: state,
                causes: [CacheKey(Copy.self, id: marks[1])],
                version: 1
            )
        )
        #expect(change.changedIDs == [marks[1]])
    }
}
