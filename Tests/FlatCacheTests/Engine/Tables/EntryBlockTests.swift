import Testing

@testable import FlatCache

struct EntryBlockTests {
    /// An object whose lifetime the test observes.
    private final class Witness: Sendable {}

    private struct Holder: Identifiable, Sendable {
        let id: Int
        let witness: Witness
    }

    @Test func eachStripeHasARegionOfItsOwn() {
        let block = EntryBlock<Note>(capacity: 3)
        let regions = (0..<Stripes.count).map { Region(ofStripe: $0, in: block) }
        for (stripe, region) in regions.enumerated() {
            #expect(region.capacity == 3)
            #expect((0..<3).allSatisfy { region.tags[$0] == .empty })
            for slot in 0..<3 { region.tags[slot] = SlotTag(bits: UInt8(stripe)) }
        }
        for (stripe, region) in regions.enumerated() {
            #expect((0..<3).allSatisfy { region.tags[$0].bits == UInt8(stripe) })
            region.tags.update(repeating: .empty, count: 3)
        }
        #expect(Set(regions.map(\.entries)).count == Stripes.count)
    }

    private func block(holding witness: Witness) -> EntryBlock<Holder> {
        let block = EntryBlock<Holder>(capacity: 2)
        let region = Region(ofStripe: 7, in: block)
        region.entries.initialize(
            to: Entry(id: 1, hash: 7, version: 1, value: Holder(id: 1, witness: witness))
        )
        region.tags[0] = SlotTag(hash: 7)
        return block
    }

    @Test func releasesItsEntries() {
        weak var released: Witness?
        do {
            let witness = Witness()
            released = witness
            _ = block(holding: witness)
        }
        #expect(released == nil)
    }

    @Test func leavesEntriesAloneThatHaveBeenMoved() {
        let witness = Witness()
        let other = EntryBlock<Holder>(capacity: 2)
        do {
            let block = block(holding: witness)
            let region = Region(ofStripe: 7, in: block)
            other.entries.moveInitialize(from: region.entries, count: 1)
            other.tags[0] = region.tags[0]
            block.isLeftUninitialized = true
        }
        #expect(other.entries.pointee.value?.witness === witness)
    }
}
