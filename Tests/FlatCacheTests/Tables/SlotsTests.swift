import Testing

@testable import FlatCache

struct SlotsTests {
    /// Few different hashes, so that probe sequences run into each other and wrap around.
    private func hash(of id: Int, spread: Int) -> Int {
        (id % spread) << Stripes.bits
    }

    private func entry(_ id: Int, spread: Int) -> Entry<Note> {
        Entry(id: id, hash: hash(of: id, spread: spread), value: Note(id: id, text: ""), version: 1)
    }

    @Test(arguments: [1, 2, 7, 64, 1_000_000], [UInt64(1), 2, 3])
    func behavesLikeADictionary(spread: Int, seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var slots = Slots<Note>(capacity: 0)
        var model: [Int: Entry<Note>] = [:]
        for _ in 0..<400 {
            let id = Int.random(in: 0..<80, using: &random)
            if let present = model[id] {
                if Bool.random(using: &random) {
                    slots.remove(present)
                    model[id] = nil
                }
            } else {
                if slots.isFull { slots = slots.resized(toCapacity: slots.enlargedCapacity) }
                let entry = entry(id, spread: spread)
                slots.insert(entry)
                model[id] = entry
            }
            if slots.isSparse { slots = slots.resized(toCapacity: slots.reducedCapacity) }
            #expect(slots.count == model.count)
            #expect(slots.isInOrder)
        }
        for id in 0..<80 {
            #expect(slots.entry(id: id, hash: hash(of: id, spread: spread)) === model[id])
        }
        let found = (0..<slots.capacity).compactMap { slots[$0]?.id }
        #expect(found.sorted() == model.keys.sorted())
    }

    @Test func anEmptyTableFindsAndRemovesNothing() {
        let slots = Slots<Note>(capacity: 0)
        #expect(slots.isFull)
        #expect(slots.entry(id: 1, hash: 1) == nil)
        slots.remove(entry(1, spread: 4))
        #expect(slots.count == 0)
        #expect(slots.isInOrder)
    }

    @Test func anotherEntryOfTheSameIdentifierIsNotRemoved() {
        let slots = Slots<Note>(capacity: 8)
        let present = entry(1, spread: 4)
        slots.insert(present)
        slots.remove(entry(1, spread: 4))
        #expect(slots.entry(id: 1, hash: present.hash) === present)
        #expect(slots.count == 1)
    }

    @Test func equalHashesOfSeveralIdentifiersAreToldApart() {
        let slots = Slots<Note>(capacity: 8)
        let entries = (0..<5).map { entry($0, spread: 1) }
        for entry in entries { slots.insert(entry) }
        for entry in entries { #expect(slots.entry(id: entry.id, hash: 0) === entry) }
        #expect(slots.entry(id: 9, hash: 0) == nil)
    }

    @Test func resizingAndFilteringLeaveTheOriginalAsItIs() {
        let slots = Slots<Note>(capacity: 8)
        for id in 0..<5 { slots.insert(entry(id, spread: 3)) }
        let larger = slots.resized(toCapacity: 32)
        let even = slots.filtered { $0.id.isMultiple(of: 2) }
        larger.remove(entry(9, spread: 3))
        larger.insert(entry(9, spread: 3))
        #expect(larger.capacity == 32)
        #expect(larger.count == 6)
        #expect(even.count == 3)
        #expect(even.isInOrder)
        #expect(slots.count == 5)
        #expect(slots.capacity == 8)
        #expect(slots.isInOrder)
    }

    @Test(arguments: Array(stride(from: 0, to: 512, by: 17)) + [511, 512])
    func theReducedCapacityHoldsTheEntriesAndIsNotAtOnceFullOrSparse(count: Int) {
        let slots = Slots<Note>(capacity: 4096)
        for id in 0..<count { slots.insert(entry(id, spread: 1_000_000)) }
        guard slots.isSparse else { return }
        let reduced = slots.resized(toCapacity: slots.reducedCapacity)
        #expect(reduced.count == count)
        #expect(!reduced.isFull)
        #expect(!reduced.isSparse)
        #expect(reduced.isInOrder)
    }
}
