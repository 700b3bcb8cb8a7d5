import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct SegmentListTests {
    /// An object whose lifetime the test observes.
    private final class Witness: Sendable {}

    private struct Holder: Identifiable, Sendable {
        let id: Int
        let witness: Witness
    }

    @Test func numberContainsTheIndexOfTheStripe() {
        let list = SegmentList<Note>()
        for stripe in [7, 0, 31, 7] {
            let segment = list.create(capacity: 2, .all, inStripe: stripe)
            #expect(Stripes.index(of: segment.number) == stripe)
            #expect(list.segment(numbered: segment.number)?.entries == segment.entries)
        }
        #expect(list.count == 4)
    }

    @Test func eachSegmentHasASerialNumberOfItsOwn() {
        let list = SegmentList<Note>()
        let first = list.create(capacity: 2, .all, inStripe: 3)
        let serial = first.header.pointee.serial
        list.remove(first, movedTo: [])
        #expect(list.segment(numbered: first.number) == nil)
        let second = list.create(capacity: 4, .all, inStripe: 3)
        #expect(second.number == first.number && second.capacity == 4)
        #expect(second.header.pointee.serial != serial)
    }

    @Test("A trim goes on in the new segments after the values were removed at once")
    func trimGoesOnAfterAnExchange() throws {
        let cache = Cache()
        let stations = (0..<10_000).map { Station(id: $0) }
        cache.set(contentsOf: stations)
        let table = cache.core.tables.table(of: Station.self)
        var plan = TrimPlan(table: table, excess: 2 * stations.count)
        // The first slice ends in the middle of a segment.
        cache.core.write("trim(to:)") { _ = table.trim(&plan, in: $0) }
        try #require(plan.stripe > 0 && plan.position == 0 && !plan.isDone)
        cache.removeAll(Station.self)
        cache.set(contentsOf: stations)
        let stripe = plan.stripe
        while !plan.isDone { cache.core.write("trim(to:)") { _ = table.trim(&plan, in: $0) } }
        let remaining = table.occupiedEntries.filter { table.hasValue($0) }
        #expect(remaining.allSatisfy { Stripes.index(of: $0.segment) < stripe })
        cache.core.checkInvariants()
    }

    @Test func forwardsPendingEntriesUntilTheirNumbersAreReplaced() {
        let list = SegmentList<Note>()
        let segments = (0..<3).map { _ in list.create(capacity: 2, .all, inStripe: 3) }
        let ids = segments.map { [$0.id(ofSlot: 0), $0.id(ofSlot: 1)] }
        list.remove(segments[0], movedTo: [ids[1][1], ids[1][0]])
        #expect(list.current(ids[0][0]) == ids[1][1])
        list.remove(segments[1], movedTo: [ids[2][1], ids[2][0]])
        #expect(list.isForwarding)
        #expect(list.current(ids[0][0]) == ids[2][0])
        #expect(list.current(ids[1][0]) == ids[2][1])
        #expect(list.current(ids[2][0]) == ids[2][0])
        // A number isn't used again while entries are forwarded.
        let other = list.create(capacity: 2, .all, inStripe: 3)
        #expect(!segments.map(\.number).contains(other.number))
        list.endForwarding()
        #expect(!list.isForwarding && list.current(ids[0][0]) == ids[0][0])
        let reused = (0..<2).map { _ in list.create(capacity: 2, .all, inStripe: 3).number }
        #expect(Set(reused) == [segments[0].number, segments[1].number])
    }

    @Test func releasesItsEntries() {
        weak var released: Witness?
        do {
            let witness = Witness()
            released = witness
            let list = SegmentList<Holder>()
            let segment = list.create(capacity: 2, .all, inStripe: 7)
            segment.entries.initialize(
                to: Entry(id: 1, hash: 7, version: 1, value: Holder(id: 1, witness: witness))
            )
            segment.occupy(0, hash: 7)
        }
        #expect(released == nil)
    }
}
