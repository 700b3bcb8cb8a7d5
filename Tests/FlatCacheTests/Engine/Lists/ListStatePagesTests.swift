import Synchronization
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct ListStatePagesTests {
    private struct Element: Identifiable {
        let id: CountedID
    }

    /// An identifier that counts its comparisons and hashes.
    private struct CountedID: Hashable {
        final class Counter: Sendable {
            let count = Atomic<Int>(0)
        }

        let number: Int
        let counter: Counter

        static func == (left: CountedID, right: CountedID) -> Bool {
            left.counter.count.add(1, ordering: .relaxed)
            return left.number == right.number
        }

        func hash(into hasher: inout Hasher) {
            counter.count.add(1, ordering: .relaxed)
            hasher.combine(number)
        }
    }

    /// Returns the number of hashes and comparisons that pages and edits of a long list take.
    private func cost(elementCount: Int) throws -> Int {
        let counter = CountedID.Counter()
        let ids = (0..<elementCount).map { CountedID(number: $0, counter: counter) }
        var state = ListState<Element>(id: "list", ids: [], pinsElements: true)
        let size = elementCount / 4
        var cursor: String?
        for page in 0..<4 {
            // Half of each page is also part of the next one.
            let end = min(elementCount, (page + 1) * size + size / 2)
            let merged = state.merging(
                ListPage(ids[page * size..<end].map { Related($0) }, next: "\(page)"),
                at: cursor.map { .after($0) } ?? .first,
                pinsElements: true,
                version: 1
            )
            state = try #require(merged)
            cursor = "\(page)"
        }
        state = state.edited(to: state.ids.reversed(), pinsElements: true)
        #expect(state.ids.count == elementCount)
        state.checkInvariants()
        return counter.count.load(ordering: .relaxed)
    }

    private let empty = ListState<Book>(id: "list", ids: [], pinsElements: true)

    private func merging(
        _ ids: [Int],
        to state: ListState<Book>,
        at place: PagePlace,
        next: String?,
        version: UInt64 = 1
    ) -> ListState<Book>? {
        let page = ListPage<Book>(ids.map { Related($0) }, next: next)
        return state.merging(page, at: place, pinsElements: true, version: version)
    }

    @Test func pagesAndEditsTakeLinearTime() throws {
        let short = try cost(elementCount: 1000)
        let long = try cost(elementCount: 8000)
        #expect(long < 12 * short)
    }

    @Test func statesAreEqualByTheirPagesButNotTheirBeginning() throws {
        func state(_ next: String?, version: UInt64 = 1) -> ListState<Book>? {
            merging([1, 2], to: empty, at: .first, next: next, version: version)
        }
        #expect(state("b") == state("b", version: 2))
        #expect(state("b") != state("c"))
        #expect(state("b") != state(nil))
        let inTwo = state("a").flatMap {
            merging([], to: $0, at: .after("a"), next: "b", version: 2)
        }
        #expect(inTwo != state("b"))
    }

    @Test func repeatedCursorIsForgottenAtItsFirstPage() throws {
        var state: ListState? = empty
        for (id, place, next) in [
            (1, PagePlace.first, "b"), (2, .after("b"), "c"), (3, .after("c"), "b"),
        ] {
            state = state.flatMap { merging([id], to: $0, at: place, next: next) }
        }
        #expect(
            state?.boundaries == [
                PageBoundary(cursor: "c", position: 2), PageBoundary(cursor: "b", position: 3),
            ]
        )
    }
}
