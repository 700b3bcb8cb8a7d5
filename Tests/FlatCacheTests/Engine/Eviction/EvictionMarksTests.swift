import Testing

@testable import FlatCache

/// Tests the marks without a lock, since no other thread uses them.
struct EvictionMarksTests {
    private let block = EvictionMarkBlock(capacity: 5)
    private var marks: EvictionMarks { block.marks(ofStripe: 3) }

    @Test func anEntryIsVisitedOnceForAnyNumberOfReads() {
        defer { withExtendedLifetime(block) {} }
        #expect(!marks.takeVisit(2))
        marks.recordAccess(2)
        marks.recordAccess(2)
        #expect(marks.takeVisit(2))
        #expect(!marks.takeVisit(2))
    }

    @Test func aWriteCountsAsAReadUnlessItAddsTheEntry() {
        defer { withExtendedLifetime(block) {} }
        marks.recordAccess(0)
        marks.recordArrival(0)
        #expect(!marks.takeVisit(0))
        marks.recordStored(0)
        #expect(marks.takeVisit(0))
    }

    @Test func readsAreMarkedWithTheTickAndWritesWithThePrecedingOne() {
        defer { withExtendedLifetime(block) {} }
        for tick in [0, 1, 63, 64, 129] {
            marks.setTick(tick)
            marks.recordAccess(0)
            marks.recordStored(1)
            marks.recordArrival(4)
            #expect(marks.tick(of: 0) == tick % 64)
            #expect(marks.tick(of: 1) == (tick + 63) % 64)
            #expect(marks.tick(of: 4) == (tick + 63) % 64)
        }
    }

    @Test func takingAVisitKeepsTheTick() {
        defer { withExtendedLifetime(block) {} }
        marks.setTick(7)
        marks.recordAccess(1)
        #expect(marks.takeVisit(1))
        #expect(marks.tick(of: 1) == 7)
    }

    @Test func slotsBelongToStripesInTurn() {
        defer { withExtendedLifetime(block) {} }
        #expect(block.place(of: 0) == (0, 0))
        #expect(block.place(of: 4) == (0, 4))
        #expect(block.place(of: 17) == (3, 2))
    }

    // MARK: Against a naive reference

    private struct Mark: Equatable {
        var isVisited = false
        var tick = 0
    }

    /// The mark of a slot as its accessors report it; reading the visit also clears it.
    private func take(_ slot: Int, of marks: EvictionMarks) -> Mark {
        Mark(
            isVisited: marks.takeVisit(slot),
            tick: marks.tick(of: slot)
        )
    }

    @Test("Marks of different slots and stripes don't affect each other", arguments: 1...20)
    func againstStructures(capacity: Int) {
        var random = SplitMix64(seed: Seed(UInt64(capacity)))
        let block = EvictionMarkBlock(capacity: capacity)
        defer { withExtendedLifetime(block) {} }
        var ticks = [Int](repeating: 0, count: Stripes.count)
        var naive = [[Mark]](
            repeating: [Mark](repeating: Mark(), count: capacity),
            count: Stripes.count
        )
        for step in 0..<2_000 {
            let stripe = random.below(Stripes.count)
            let slot = random.below(capacity)
            let marks = block.marks(ofStripe: stripe)
            switch random.below(6) {
            case 0:
                marks.recordAccess(slot)
                naive[stripe][slot].isVisited = true
                naive[stripe][slot].tick = ticks[stripe]
            case 1:
                marks.recordStored(slot)
                naive[stripe][slot].isVisited = true
                naive[stripe][slot].tick = (ticks[stripe] + 63) % 64
            case 2:
                marks.recordArrival(slot)
                naive[stripe][slot].isVisited = false
                naive[stripe][slot].tick = (ticks[stripe] + 63) % 64
            case 3:
                ticks[stripe] = random.below(64)
                marks.setTick(ticks[stripe])
            case 4:
                marks.clear(slot)
                naive[stripe][slot].isVisited = false
                naive[stripe][slot].tick = 0
            default:
                let found = take(slot, of: marks)
                #expect(found == naive[stripe][slot], "capacity \(capacity), step \(step)")
                naive[stripe][slot].isVisited = false
            }
        }
        for stripe in 0..<Stripes.count {
            let marks = block.marks(ofStripe: stripe)
            #expect((0..<capacity).map { take($0, of: marks) } == naive[stripe])
        }
    }
}
