import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct WriteLogTests {
    private var log = WriteLog<Int>()

    private mutating func record(_ kind: WriteKind, of id: Int, at position: UInt64) {
        log.record(kind, of: id, at: position) { 0 }
    }

    @Test mutating func writeConcernsTheLeasesUpToItsPosition() {
        #expect(log.isEmpty)
        record(.store, of: 1, at: 3)
        #expect(!log.isEmpty)
        #expect(log.write(to: 1, since: 2)?.kind == .store)
        #expect(log.write(to: 1, since: 3)?.position == 3)
        #expect(log.write(to: 1, since: 4)?.kind == nil)
        #expect(log.write(to: 2, since: 1)?.kind == nil)
    }

    @Test mutating func latestWriteCounts() {
        record(.store, of: 1, at: 3)
        record(.removal, of: 1, at: 3)
        #expect(log.write(to: 1, since: 3)?.kind == .removal)
        record(.invalidation, of: 1, at: 5)
        #expect(log.write(to: 1, since: 3)?.kind == .invalidation)
        // An answer is as old as its lease.
        record(.store, of: 1, at: 4)
        #expect(log.write(to: 1, since: 3)?.kind == .invalidation)
        #expect(log.count == 1)
    }

    @Test mutating func writeToAllConcernsEachEntity() {
        record(.store, of: 1, at: 3)
        log.recordAll(.invalidation, at: 4)
        #expect(log.write(to: 1, since: 4)?.kind == .invalidation)
        #expect(log.write(to: 2, since: 1)?.kind == .invalidation)
        #expect(log.write(to: 2, since: 5)?.kind == nil)
        #expect(!log.isEmpty)
    }

    @Test mutating func writeAfterAWriteToAllCounts() {
        log.recordAll(.removal, at: 4)
        record(.store, of: 1, at: 4)
        #expect(log.write(to: 1, since: 4)?.kind == .store)
        #expect(log.write(to: 2, since: 4)?.kind == .removal)
    }

    @Test mutating func answerAfterAWriteToAllIsOlder() {
        log.recordAll(.removal, at: 4)
        record(.store, of: 1, at: 2)
        #expect(log.write(to: 1, since: 2)?.kind == .removal)
    }

    @Test mutating func positionsThatConcernNoLeaseAreDropped() {
        for id in 0..<10_000 { log.record(.removal, of: id, at: 1) { 1 } }
        #expect(log.count == 10_000)
        for id in 20_000..<30_000 { log.record(.store, of: id, at: 2) { 2 } }
        #expect(log.count < 10_300)
        #expect(!log.isRemoved(9_999, since: 1))
        let isComplete = (20_000..<30_000).allSatisfy { log.write(to: $0, since: 2) != nil }
        #expect(isComplete)
    }

    @Test mutating func positionsThatConcernALeaseStay() {
        for id in 0..<10_000 { log.record(.store, of: id, at: 2) { 2 } }
        #expect(log.count == 10_000)
        for id in 0..<10_000 {
            guard log.write(to: id, since: 2)?.kind != .store else { continue }
            Issue.record("The write to \(id) is lost.")
            return
        }
    }

    @Test mutating func logThatALeaseMakesGrowIsReplacedByAWriteToAll() {
        let count = 300_000
        for id in 0..<count { log.record(.store, of: id, at: 2) { 2 } }
        #expect(log.count < count)
        // The answer of the lease is outdated as a whole, and later ones aren't.
        #expect(log.write(to: -1, since: 2)?.kind == .store)
        #expect(log.isRemoved(-1, since: 2))
        #expect(log.write(to: -1, since: 3)?.kind == nil)
        #expect(!log.isRemoved(-1, since: 3))
    }

    @Test mutating func oldestLeaseIsComputedSeldom() {
        var count = 0
        for id in 0..<10_000 {
            log.record(.store, of: id, at: 2) {
                count += 1
                return 2
            }
        }
        #expect((1...50).contains(count))
    }
}
