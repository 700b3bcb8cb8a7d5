import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct ListStateTests {
    private func state(_ ids: [Int], name: String = "list") -> ListState<Book> {
        ListState(id: name, ids: ids, pinsElements: true)
    }

    @Test func keepsTheFirstPlaceOfEachIdentifier() {
        #expect(state([3, 1, 3, 2, 1, 3]).ids == [3, 1, 2])
        #expect(state([5, 5, 5]).ids == [5])
    }

    @Test func keepsUniqueIdentifiers() {
        #expect(state([]).ids == [])
        #expect(state([2, 3, 1]).ids == [2, 3, 1])
    }

    @Test func isEqualByNameAndOrder() {
        #expect(state([1, 2]) == state([1, 2]))
        #expect(state([1, 2]) == state([1, 2, 1]))
        #expect(state([1, 2]) != state([2, 1]))
        #expect(state([1, 2]) != state([1]))
        #expect(state([1, 2]) != state([1, 2], name: "another"))
    }

    @Test func refersToItsElements() {
        #expect(state([]).relatedCacheKeys == [])
        #expect(
            state([2, 1]).relatedCacheKeys == [
                CacheKey(Book.self, id: 1), CacheKey(Book.self, id: 2),
            ]
        )
    }
}
