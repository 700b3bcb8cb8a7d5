import Testing

@testable import FlatCache

struct RegionTests {
    /// The entries of one region, without a table.
    private struct Shelf {
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
            region.used -= region.vacate(slot)
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
        var shelf = Shelf(capacity: 67)
        var model: Set<Int> = []
        for _ in 0..<3_000 {
            let id = Int.random(in: 0..<60, using: &random)
            if model.contains(id) {
                shelf.remove(id, hash: hash(of: id, spread: spread))
                model.remove(id)
            } else if !shelf.region.isFull {
                shelf.insert(id, hash: hash(of: id, spread: spread))
                model.insert(id)
            }
            #expect(shelf.region.isInOrder(inStripe: 0))
            #expect(shelf.region.count == model.count)
        }
        for id in 0..<60 {
            #expect(shelf.contains(id, hash: hash(of: id, spread: spread)) == model.contains(id))
        }
        #expect(shelf.ids.sorted() == model.sorted())
    }

    @Test func anEmptyRegionFindsNothing() {
        let shelf = Shelf(capacity: 2)
        #expect(!shelf.region.isFull)
        #expect(!shelf.contains(1, hash: 32))
        #expect(shelf.region.isInOrder(inStripe: 0))
    }

    @Test(arguments: 2...40)
    func isFullWhileASlotIsFree(capacity: Int) {
        var shelf = Shelf(capacity: capacity)
        var count = 0
        while !shelf.region.isFull {
            shelf.insert(count, hash: 0)
            count += 1
        }
        #expect(count >= 1)
        #expect(count < capacity)
        #expect(count * 4 <= capacity * 3 + 3)
        // The free slot ends the search.
        #expect(!shelf.contains(-1, hash: 0))
        for id in 0..<count { #expect(shelf.contains(id, hash: 0)) }
    }

    @Test func theHomeSlotIsInTheRegionForAnyHash() {
        for capacity in [2, 3, 67, 1_000_003] {
            let shelf = Shelf(capacity: capacity)
            let slots = [0, 1, 31, 32, 0x8000_0000, UInt32.max - 31, .max].map {
                shelf.region.homeSlot(of: $0)
            }
            #expect(slots.allSatisfy { 0..<capacity ~= $0 })
            #expect(slots.first == 0)
            #expect(slots.last == capacity - 1)
        }
    }

    @Test func removedEntryInTheMiddleHidesNoOther() {
        var shelf = Shelf(capacity: 16)
        for id in 0..<5 { shelf.insert(id, hash: 0) }
        shelf.remove(1, hash: 0)
        shelf.remove(2, hash: 0)
        #expect(shelf.region.used == 5)
        #expect(shelf.contains(4, hash: 0))
        // The new entry reuses the slot.
        shelf.insert(9, hash: 0)
        #expect(shelf.region.used == 5)
        #expect(shelf.contains(9, hash: 0))
        // Removing the last entries also removes the marks before them.
        shelf.remove(4, hash: 0)
        shelf.remove(3, hash: 0)
        #expect(shelf.region.used == 2)
        #expect(shelf.region.isInOrder(inStripe: 0))
    }

    @Test func anEntryOfAnotherStripeIsNotInOrder() {
        var shelf = Shelf(capacity: 8)
        shelf.insert(1, hash: 1)
        #expect(!shelf.region.isInOrder(inStripe: 0))
        #expect(shelf.region.isInOrder(inStripe: 1))
    }
}
