import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct VersionedCountTests {
    @Test func startsAtZero() {
        let count = VersionedCount()
        #expect(count.count(at: 0) == 0)
        #expect(count.count(at: 9) == 0)
        #expect(!count.holdsPriorCounts)
    }

    @Test func returnsTheCountOfEachVersion() {
        var count = VersionedCount()
        count.add(3, at: 2)
        count.add(-1, at: 5)
        count.add(4, at: 6)
        #expect((0...8).map { count.count(at: $0) } == [0, 0, 3, 3, 3, 2, 6, 6, 6])
        #expect(count.holdsPriorCounts)
    }

    @Test func keepsOnlyReadableVersions() {
        var count = VersionedCount()
        for version in 1...10 { count.add(1, at: UInt64(version)) }
        count.reclaim(keeping: [0, 3, 7, 3])
        #expect(count.holdsPriorCounts)
        #expect([0, 3, 7, 10].map { count.count(at: $0) } == [0, 3, 7, 10])
        count.reclaim(keeping: [7])
        #expect(count.count(at: 7) == 7)
        count.reclaim(keeping: [10])
        #expect(!count.holdsPriorCounts)
        #expect(count.count(at: 10) == 10)
    }
}
