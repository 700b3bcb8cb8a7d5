import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct EvictionSweepTests {
    @Test func readEntriesAreSkippedUpToTheLimit() {
        var sweep = EvictionSweep(downTo: 0, visits: 100, patience: 2)
        for _ in 0..<2 {
            let passed = (0..<3).map { _ in sweep.passesOver(wasRead: true) }
            #expect(passed == [true, true, false])
            sweep.recordEviction()
        }
    }

    @Test func unreadEntriesAreNotSkipped() {
        var sweep = EvictionSweep(downTo: 0, visits: 100)
        let isPassed = sweep.passesOver(wasRead: false)
        #expect(!isPassed)
    }

    @Test func trimmingNeverRunsOutOfPatience() {
        var sweep = EvictionSweep(trimming: 1, visits: 1_000)
        let passed = (0..<1_000).count { _ in sweep.passesOver(wasRead: true) }
        #expect(passed == 1_000)
    }

    @Test func searchEndsWithItsVisitsOrEvictions() {
        var sweep = EvictionSweep(trimming: 2, visits: 3)
        for _ in 0..<2 {
            #expect(sweep.mayVisit)
            sweep.recordVisit()
        }
        #expect(sweep.mayVisit && sweep.visitsLeft == 1)
        sweep.recordEviction()
        #expect(sweep.mayVisit)
        sweep.recordEviction()
        #expect(!sweep.mayVisit)
        var other = EvictionSweep(trimming: 2, visits: 1)
        other.recordVisit()
        #expect(!other.mayVisit)
        var ended = EvictionSweep(trimming: 2, visits: 9)
        ended.end()
        #expect(!ended.mayVisit)
    }
}
