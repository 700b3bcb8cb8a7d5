import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct SegmentSizeTests {
    @Test(arguments: [4, 8, 64, 2_048])
    func newSegmentHasRoomForItsEntriesAndForMore(greatest: Int) {
        let size = SegmentSize(maximumCapacity: greatest)
        for count in 0...3_000 {
            let capacity = size.capacity(for: count)
            #expect(!SegmentSize.isFull(count, of: capacity))
            #expect(capacity <= max(greatest, (count * 2 + 2) * 5 / 4))
            if count < greatest * 3 / 4 - 1 { #expect(capacity <= greatest) }
        }
    }

    @Test func expectedEntriesFitEvenIfTheyAreDistributedUnevenly() {
        let size = SegmentSize.standard
        for expected in [1, 10, 100, 1_000] {
            let largest = expected + Int(3.5 * Double(expected).squareRoot())
            #expect(!SegmentSize.isFull(largest, of: size.capacity(for: 0, expecting: expected)))
        }
    }

    @Test func largeEntriesMakeSegmentsWithFewerSlots() {
        #expect(SegmentSize.standard.limited(toEntriesOf: 88) == .standard)
        #expect(SegmentSize.standard.limited(toEntriesOf: 4_096).maximumCapacity == 256)
        #expect(SegmentSize.standard.limited(toEntriesOf: 10_000_000).maximumCapacity == 4)
    }

    @Test func divisionLeavesTheNewSegmentsRoom() {
        let size = SegmentSize.standard
        #expect(size.partBits(for: 1_280) == 0)
        #expect(size.partBits(for: 1_281) == 1)
        #expect(size.partBits(for: 100_000) == 7)
    }

    @Test func depthGrowsWithTheNumberOfEntries() {
        let size = SegmentSize.standard
        #expect(size.maximumDepth(for: 0) == 3)
        for count in [10_000, 1_000_000, 100_000_000] {
            let depth = size.maximumDepth(for: count)
            #expect(1 << depth >= count / 768 && 1 << depth <= count / 768 * 8)
        }
        #expect(size.maximumDepth(for: .max) == HashRange.maximumDepth)
    }
}
