import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Compares the entries that a transaction makes stale with a reference that copies its state for
/// each savepoint.
struct PendingStalenessTests {
    @Test(arguments: RandomTestSettings(seeds: 30).seeds)
    func againstCopies(seed: Seed) {
        var random = SplitMix64(seed: seed)
        var staleness = PendingStaleness()
        /// The stale entries in each open savepoint, the innermost last.
        var savepoints: [Set<Int>] = [[]]
        for step in 0..<400 {
            let version = UInt64(10 + savepoints.count)
            let slot = random.below(6)
            let entry = EntryID(segment: 1, slot: slot)
            switch random.below(8) {
            case 0, 1, 2:
                staleness.insert(entry, in: version)
                savepoints[savepoints.count - 1].insert(slot)
            case 3, 4:
                staleness.recordWrite(to: entry, in: version)
                savepoints[savepoints.count - 1].remove(slot)
            case 5 where savepoints.count < 5:
                savepoints.append(savepoints[savepoints.count - 1])
            case 6 where savepoints.count > 1:
                staleness.merge(version)
                let merged = savepoints.removeLast()
                savepoints[savepoints.count - 1] = merged
            case 7 where savepoints.count > 1:
                staleness.rollBack(version)
                savepoints.removeLast()
            default: break
            }
            let expected = savepoints[savepoints.count - 1]
            let found = Set(staleness.entries.map { Int($0.slot) })
            #expect(found == expected, "seed \(seed), step \(step)")
            #expect(staleness.count == expected.count)
            for slot in 0..<6 {
                let entry = EntryID(segment: 1, slot: slot)
                #expect(staleness.contains(entry) == expected.contains(slot))
            }
        }
    }

    @Test func invalidationOfAllEndsWithItsSavepoint() {
        var staleness = PendingStaleness()
        staleness.insertAll(in: 12)
        #expect(staleness.includesAll && !staleness.isEmpty && staleness.count == 1)
        staleness.merge(12)
        staleness.rollBack(12)
        #expect(staleness.includesAll)
        staleness.insertAll(in: 13)
        staleness.rollBack(13)
        #expect(staleness.includesAll)
        staleness.rollBack(11)
        #expect(!staleness.includesAll && staleness.isEmpty)
    }
}
