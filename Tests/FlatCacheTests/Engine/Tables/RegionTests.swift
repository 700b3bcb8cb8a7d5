import Testing

@testable import FlatCache

struct RegionTests {
    /// The entries of one region, without a table.
    private struct RegionFixture {
        let block: EntryBlock<Note>
        var region: Region<Note>

        init(capacity: Int) {
            block = EntryBlock(capacity: capacity)
            region = Region(ofStripe: 0, in: block)
        }

        mutating func insert(_ id: Int, hash: UInt32) {
            let slot = region.freeSlot(for: hash)
            if region.tags[slot] == .empty { region.used += 1 }
            (region.entries + slot).initialize(
                to: Entry(id: id, hash: hash, version: 1, value: Note(id: id, text: ""))
            )
            region.tags[slot] = SlotTag(hash: hash)
        }

        mutating func remove(_ id: Int, hash: UInt32) {
            guard let slot = region.slot(of: id, hash: hash) else { return }
            region.used -= UInt32(region.vacate(slot))
            (region.entries + slot).deinitialize(count: 1)
        }

        func contains(_ id: Int, hash: UInt32) -> Bool {
            region.entry(id: id, hash: hash)?.pointee.value?.id == id
        }

        var ids: [Int] {
            var ids: [Int] = []
            region.forEachSlot { ids.append(region.entries[$0].id) }
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
        var fixture = RegionFixture(capacity: 67)
        var model: Set<Int> = []
        for _ in 0..<3_000 {
            let id = Int.random(in: 0..<60, using: &random)
            if model.contains(id) {
                fixture.remove(id, hash: hash(of: id, spread: spread))
                model.remove(id)
            } else if !fixture.region.isFull {
                fixture.insert(id, hash: hash(of: id, spread: spread))
                model.insert(id)
            }
            #expect(fixture.region.isInOrder(inStripe: 0))
            #expect(fixture.region.count == model.count)
        }
        for id in 0..<60 {
            #expect(fixture.contains(id, hash: hash(of: id, spread: spread)) == model.contains(id))
        }
        #expect(fixture.ids.sorted() == model.sorted())
    }

    @Test func anEmptyRegionFindsNothing() {
        let fixture = RegionFixture(capacity: 2)
        #expect(!fixture.region.isFull)
        #expect(!fixture.contains(1, hash: 32))
        #expect(fixture.region.isInOrder(inStripe: 0))
    }

    @Test(arguments: 2...40)
    func isFullWhileASlotIsFree(capacity: Int) {
        var fixture = RegionFixture(capacity: capacity)
        var count = 0
        while !fixture.region.isFull {
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

    @Test func theHomeSlotIsInTheRegionForAnyHash() {
        for capacity in [2, 3, 67, 1_000_003] {
            let fixture = RegionFixture(capacity: capacity)
            let slots = [0, 1, 31, 32, 0x8000_0000, UInt32.max - 31, .max].map {
                fixture.region.homeSlot(of: $0)
            }
            #expect(slots.allSatisfy { 0..<capacity ~= $0 })
            #expect(slots.first == 0)
            #expect(slots.last == capacity - 1)
        }
    }

    @Test func removedEntryInTheMiddleHidesNoOther() {
        var fixture = RegionFixture(capacity: 16)
        for id in 0..<5 { fixture.insert(id, hash: 0) }
        fixture.remove(1, hash: 0)
        fixture.remove(2, hash: 0)
        #expect(fixture.region.used == 5)
        #expect(fixture.contains(4, hash: 0))
        // The new entry reuses the slot.
        fixture.insert(9, hash: 0)
        #expect(fixture.region.used == 5)
        #expect(fixture.contains(9, hash: 0))
        // Removing the last entries also removes the marks before them.
        fixture.remove(4, hash: 0)
        fixture.remove(3, hash: 0)
        #expect(fixture.region.used == 2)
        #expect(fixture.region.isInOrder(inStripe: 0))
    }

    @Test func anEntryOfAnotherStripeIsNotInOrder() {
        var fixture = RegionFixture(capacity: 8)
        fixture.insert(1, hash: 1)
        #expect(!fixture.region.isInOrder(inStripe: 0))
        #expect(fixture.region.isInOrder(inStripe: 1))
    }
}
