import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct SegmentTests {
    /// The entries of one segment, without a table.
    private struct SegmentFixture {
        let list = SegmentList<Note>()
        let segment: Segment<Note>

        init(capacity: Int, _ range: HashRange = .all) {
            segment = list.create(capacity: capacity, range, inStripe: 0)
        }

        func insert(_ id: Int, hash: UInt32) {
            let slot = segment.freeSlot(for: hash)
            (segment.entries + slot).initialize(
                to: Entry(id: id, hash: hash, version: 1, value: Note(id: id, text: ""))
            )
            segment.occupy(slot, hash: hash)
        }

        func remove(_ id: Int, hash: UInt32) {
            guard let slot = segment.slot(of: id, hash: hash) else { return }
            segment.vacate(slot)
            (segment.entries + slot).deinitialize(count: 1)
        }

        func contains(_ id: Int, hash: UInt32) -> Bool {
            segment.entry(id: id, hash: hash)?.pointee.value?.id == id
        }

        var ids: [Int] {
            var ids: [Int] = []
            segment.forEachSlot { ids.append(segment.entries[$0].id) }
            return ids
        }
    }

    /// Returns one of few hashes in the same stripe, so that probe sequences overlap and wrap
    /// around.
    private func hash(of id: Int, spread: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: (id % spread) &* 0x9E37_79B9) << UInt32(Stripes.bits)
    }

    @Test(arguments: [1, 2, 7, 64, 1_000_000], RandomTestSettings(seeds: 3).seeds)
    func behavesLikeASet(spread: Int, seed: Seed) {
        var random = SplitMix64(seed: seed)
        let fixture = SegmentFixture(capacity: 67)
        var model: Set<Int> = []
        for _ in 0..<3_000 {
            let id = Int.random(in: 0..<60, using: &random)
            if model.contains(id) {
                fixture.remove(id, hash: hash(of: id, spread: spread))
                model.remove(id)
            } else if !fixture.segment.isFull {
                fixture.insert(id, hash: hash(of: id, spread: spread))
                model.insert(id)
            }
            #expect(fixture.segment.isInOrder(inStripe: 0))
            #expect(fixture.segment.header.pointee.count == model.count)
        }
        for id in 0..<60 {
            #expect(fixture.contains(id, hash: hash(of: id, spread: spread)) == model.contains(id))
        }
        #expect(fixture.ids.sorted() == model.sorted())
    }

    @Test func emptySegmentFindsNothing() {
        let fixture = SegmentFixture(capacity: 2)
        #expect(!fixture.segment.isFull)
        #expect(!fixture.contains(1, hash: 32))
        #expect(fixture.segment.isInOrder(inStripe: 0))
    }

    @Test(arguments: 2...40)
    func isFullWhileASlotIsFree(capacity: Int) {
        let fixture = SegmentFixture(capacity: capacity)
        var count = 0
        while !fixture.segment.isFull {
            fixture.insert(count, hash: 0)
            count += 1
        }
        #expect(count >= 1)
        #expect(count < capacity)
        #expect(count * 4 <= capacity * 3 + 3)
        // The free slot ends the search.
        #expect(!fixture.contains(-1, hash: 0))
        for id in 0..<count { #expect(fixture.contains(id, hash: 0)) }
    }

    @Test func homeSlotIsInTheSegmentForAnyHash() {
        for capacity in [2, 3, 67, 2_048] {
            let fixture = SegmentFixture(capacity: capacity)
            let slots = [0, 1, 31, 32, 0x8000, UInt32.max - 31, .max].map {
                fixture.segment.homeSlot(of: $0)
            }
            #expect(slots.allSatisfy { 0..<capacity ~= $0 })
            #expect(slots.first == 0)
            #expect(slots.last == capacity - 1)
        }
    }

    @Test func removedEntryInTheMiddleHidesNoOther() {
        let fixture = SegmentFixture(capacity: 16)
        for id in 0..<5 { fixture.insert(id, hash: 0) }
        fixture.remove(1, hash: 0)
        fixture.remove(2, hash: 0)
        #expect(fixture.segment.header.pointee.used == 5)
        #expect(fixture.contains(4, hash: 0))
        // The new entry reuses the slot.
        fixture.insert(9, hash: 0)
        #expect(fixture.segment.header.pointee.used == 5)
        #expect(fixture.contains(9, hash: 0))
        // Removing the last entries also removes the marks before them.
        fixture.remove(4, hash: 0)
        fixture.remove(3, hash: 0)
        #expect(fixture.segment.header.pointee.used == 2)
        #expect(fixture.segment.isInOrder(inStripe: 0))
    }

    @Test func entryOfAnotherStripeIsNotInOrder() {
        let fixture = SegmentFixture(capacity: 8)
        fixture.insert(1, hash: 1)
        #expect(!fixture.segment.isInOrder(inStripe: 0))
        #expect(fixture.segment.isInOrder(inStripe: 1))
    }

    @Test func entryOfAnotherRangeIsNotInOrder() {
        let fixture = SegmentFixture(capacity: 8, HashRange(of: 0x8000_0000, depth: 1))
        fixture.insert(1, hash: 0x9000_0000)
        #expect(fixture.segment.isInOrder(inStripe: 0))
        fixture.insert(2, hash: 0x7000_0000)
        #expect(!fixture.segment.isInOrder(inStripe: 0))
    }

    @Test(arguments: [2, 3, 15, 16, 17, 1_024, 1_025, 2_048, 2_049])
    func tagsMarksAndEntriesDontOverlap(capacity: Int) {
        let fixture = SegmentFixture(capacity: capacity)
        let segment = fixture.segment
        let tags = UnsafeMutableRawPointer(segment.tags)
        let header = UnsafeMutableRawPointer(segment.header)
        #expect(tags + capacity <= segment.marks)
        if !TagArena.contains(capacity: capacity) { #expect(segment.marks + capacity <= header) }
        #expect(MemoryLayout<SegmentHeader>.size <= SegmentHeader.byteCount)
        #expect(header + SegmentHeader.byteCount == segment.entries)
        #expect(Int(bitPattern: segment.entries) % MemoryLayout<Entry<Note>>.alignment == 0)
        withExtendedLifetime(fixture) {}
    }
}
