import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests the marks without a lock, since no other thread uses them.
struct EvictionMarksTests {
    private final class Memory {
        let base: UnsafeMutableRawPointer
        var tick = 0

        init(capacity: Int) {
            base = .allocate(byteCount: capacity, alignment: 1)
            base.initializeMemory(as: UInt8.self, repeating: 0, count: capacity)
        }
        deinit { base.deallocate() }

        var marks: EvictionMarks {
            EvictionMarks(base: base, accessMark: EvictionMarks.accessMark(inTick: tick))
        }
    }

    private let memory = Memory(capacity: 5)
    private var marks: EvictionMarks { memory.marks }

    @Test func entryIsVisitedOnceForAnyNumberOfReads() {
        defer { withExtendedLifetime(memory) {} }
        #expect(!marks.takeVisit(2))
        marks.recordAccess(2)
        marks.recordAccess(2)
        #expect(marks.takeVisit(2))
        #expect(!marks.takeVisit(2))
    }

    @Test func writeCountsAsAReadUnlessItAddsTheEntry() {
        defer { withExtendedLifetime(memory) {} }
        marks.recordAccess(0)
        marks.recordArrival(0)
        #expect(!marks.takeVisit(0))
        marks.recordStored(0)
        #expect(marks.takeVisit(0))
    }

    @Test func readsAreMarkedWithTheTickAndWritesWithThePrecedingOne() {
        defer { withExtendedLifetime(memory) {} }
        for tick in [0, 1, 63, 64, 129] {
            memory.tick = tick
            marks.recordAccess(0)
            marks.recordStored(1)
            marks.recordArrival(4)
            #expect(marks.tick(of: 0) == tick % 64)
            #expect(marks.tick(of: 1) == (tick + 63) % 64)
            #expect(marks.tick(of: 4) == (tick + 63) % 64)
        }
    }

    @Test func takingAVisitKeepsTheTick() {
        defer { withExtendedLifetime(memory) {} }
        memory.tick = 7
        marks.recordAccess(1)
        #expect(marks.takeVisit(1))
        #expect(marks.tick(of: 1) == 7)
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

    @Test("Marks of different slots don't affect each other", arguments: 1...20)
    func againstStructures(capacity: Int) {
        var random = SplitMix64(seed: Seed(UInt64(capacity)))
        let memory = Memory(capacity: capacity)
        defer { withExtendedLifetime(memory) {} }
        var naive = [Mark](repeating: Mark(), count: capacity)
        for step in 0..<2_000 {
            let slot = random.below(capacity)
            let marks = memory.marks
            switch random.below(6) {
            case 0:
                marks.recordAccess(slot)
                naive[slot] = Mark(isVisited: true, tick: memory.tick)
            case 1:
                marks.recordStored(slot)
                naive[slot] = Mark(isVisited: true, tick: (memory.tick + 63) % 64)
            case 2:
                marks.recordArrival(slot)
                naive[slot] = Mark(isVisited: false, tick: (memory.tick + 63) % 64)
            case 3:
                memory.tick = random.below(64)
            case 4:
                marks.clear(slot)
                naive[slot] = Mark()
            default:
                let found = take(slot, of: marks)
                #expect(found == naive[slot], "capacity \(capacity), step \(step)")
                naive[slot].isVisited = false
            }
        }
        #expect((0..<capacity).map { take($0, of: memory.marks) } == naive)
    }
}
