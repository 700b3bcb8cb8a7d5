import Testing

@testable import FlatCache

/// Tests the marks without a lock, since no other thread uses them.
struct EvictionMarksTests {
    private let block = EvictionMarkBlock(capacity: 5, expires: true)
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

    @Test func onlyOlderValuesAreStaleAndOnlyForLaterReaders() {
        defer { withExtendedLifetime(block) {} }
        #expect(!marks.isStale(1, stored: 1, readAt: .max))
        marks.setStale(1, at: 10)
        #expect(marks.isStale(1, stored: 9, readAt: 10))
        #expect(marks.isStale(1, stored: 9, readAt: .max))
        #expect(!marks.isStale(1, stored: 9, readAt: 9))
        #expect(!marks.isStale(1, stored: 10, readAt: 11))
    }

    @Test func readsAndWritesKeepAnEntryStaleForOldSnapshots() {
        defer { withExtendedLifetime(block) {} }
        marks.setStale(1, at: 10)
        marks.recordAccess(1)
        #expect(marks.takeVisit(1))
        marks.recordStored(1)
        marks.recordArrival(1)
        marks.setTick(63)
        marks.recordAccess(1)
        #expect(marks.mayBeStale(1))
        #expect(marks.tick(of: 1) == 63)
        marks.clear(1)
        #expect(!marks.mayBeStale(1))
    }

    @Test func marksWithoutExpiryHaveNoTimes() {
        let block = EvictionMarkBlock(capacity: 2, expires: false)
        defer { withExtendedLifetime(block) {} }
        let marks = block.marks(ofStripe: 0)
        marks.recordAccess(1)
        #expect(marks.since(of: 1) == nil)
        #expect(!marks.expires)
        #expect(marks.takeVisit(1))
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
        var since: Time = 0
        var staleVersion: UInt64?
    }

    /// The mark of a slot as its accessors report it; reading the visit also clears it.
    private func take(_ slot: Int, of marks: EvictionMarks) -> Mark {
        Mark(
            isVisited: marks.takeVisit(slot),
            tick: marks.tick(of: slot),
            since: marks.since(of: slot) ?? 0,
            staleVersion: marks.mayBeStale(slot) ? marks.staleVersion(of: slot) : nil
        )
    }

    @Test("Marks of different slots and stripes don't affect each other", arguments: 1...20)
    func againstStructures(capacity: Int) {
        var random = SplitMix64(seed: Seed(UInt64(capacity)))
        let blocks = [capacity, capacity + 3].map { EvictionMarkBlock(capacity: $0, expires: true) }
        defer { withExtendedLifetime(blocks) {} }
        var ticks = [Int](repeating: 0, count: Stripes.count)
        // The second block holds the copies that a rebuild makes.
        var naive = blocks.map { block in
            [[Mark]](
                repeating: [Mark](repeating: Mark(), count: block.capacity),
                count: Stripes.count
            )
        }
        for step in 0..<2_000 {
            let stripe = random.below(Stripes.count)
            let slot = random.below(capacity)
            let marks = blocks[0].marks(ofStripe: stripe)
            switch random.below(9) {
            case 0:
                marks.recordAccess(slot)
                naive[0][stripe][slot].isVisited = true
                naive[0][stripe][slot].tick = ticks[stripe]
            case 1:
                marks.recordStored(slot)
                naive[0][stripe][slot].isVisited = true
                naive[0][stripe][slot].tick = (ticks[stripe] + 63) % 64
            case 2:
                marks.recordArrival(slot)
                naive[0][stripe][slot].isVisited = false
                naive[0][stripe][slot].tick = (ticks[stripe] + 63) % 64
            case 3:
                let time = Time(nanoseconds: Int64(random.next() >> 1))
                marks.setSince(time, of: slot)
                naive[0][stripe][slot].since = time
            case 4:
                let version = random.next()
                marks.setStale(slot, at: version)
                naive[0][stripe][slot].staleVersion = version
            case 5:
                ticks[stripe] = random.below(64)
                marks.setTick(ticks[stripe])
            case 6:
                marks.clear(slot)
                naive[0][stripe][slot].isVisited = false
                naive[0][stripe][slot].tick = 0
                naive[0][stripe][slot].staleVersion = nil
            case 7:
                let other = random.below(capacity + 3)
                blocks[1].marks(ofStripe: stripe).copy(other, from: marks, slot)
                naive[1][stripe][other] = naive[0][stripe][slot]
            default:
                let found = take(slot, of: marks)
                #expect(found == naive[0][stripe][slot], "capacity \(capacity), step \(step)")
                naive[0][stripe][slot].isVisited = false
            }
        }
        for (block, naive) in zip(blocks, naive) {
            for stripe in 0..<Stripes.count {
                let marks = block.marks(ofStripe: stripe)
                #expect((0..<block.capacity).map { take($0, of: marks) } == naive[stripe])
                #expect(marks.expires)
            }
        }
    }
}
