import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests what bounds the log while a load doesn't end.
struct WriteLogLimitTests {
    /// The number of positions that the log never reaches.
    private static let maximumCount = 4_000

    private var log = WriteLog<Int>(maximumCount: Self.maximumCount)

    /// Records writes to different entities until the log drops their positions.
    ///
    /// - Returns: A Boolean value that indicates whether it dropped them in time.
    private mutating func fill(_ kind: WriteKind = .store, at position: UInt64) -> Bool {
        for id in 1_000..<1_000_000 {
            let count = log.count
            log.record(kind, of: id, at: position) { 1 }
            if log.count < count { return true }
        }
        return false
    }

    @Test(arguments: [WriteKind.store, .removal, .invalidation])
    func countIsBounded(kind: WriteKind) {
        var log = WriteLog<Int>(maximumCount: Self.maximumCount)
        var greatestCount = 0
        for id in 0..<10_000 {
            log.record(kind, of: id, at: 1) { 1 }
            greatestCount = max(greatestCount, log.count)
        }
        #expect(greatestCount < Self.maximumCount)
        #expect(greatestCount > 1_000)
    }

    @Test mutating func repeatedWritesTakeOnePosition() {
        for number in 0..<10_000 { log.record(.store, of: number % 10, at: 1) { 1 } }
        #expect(log.count == 10)
        // The log still knows the entities that weren't written.
        #expect(log.write(to: 10, since: 1)?.kind == nil)
    }

    @Test mutating func shortenedLogOutdatesEachAnswerOfTheLoadsSoFar() {
        log.record(.removal, of: 1, at: 1) { 1 }
        log.record(.store, of: 2, at: 2) { 1 }
        #expect(fill(at: 3))
        for id in [1, 2, 3, 1_000, 500_000] {
            for lease in [1, 2, 3] as [UInt64] {
                #expect(log.write(to: id, since: lease)?.kind == .store)
                // Nothing is merged beneath a value whose former parts may have been removed.
                #expect(log.isRemoved(id, since: lease))
            }
        }
        #expect(log.removalOfAll >= 3)
    }

    @Test mutating func shortenedLogDoesNotConcernLaterLoads() {
        #expect(fill(at: 3))
        #expect(log.write(to: 1_000, since: 4)?.kind == nil)
        #expect(!log.isRemoved(1_000, since: 4))
        log.record(.store, of: 1, at: 4) { 1 }
        #expect(log.write(to: 1, since: 4)?.kind == .store)
        #expect(log.write(to: 2, since: 4)?.kind == nil)
    }

    @Test mutating func shortenedLogKeepsTheLatestPosition() {
        log.record(.store, of: 1, at: 9) { 1 }
        // The answers of earlier loads, which are as old as their leases.
        #expect(fill(at: 3))
        #expect(log.write(to: 1, since: 9)?.kind == .store)
        #expect(log.write(to: 1, since: 10)?.kind == nil)
    }

    @Test mutating func shortenedLogKeepsThePositionOfAWriteToAll() {
        log.recordAll(.invalidation, at: 9)
        #expect(fill(.removal, at: 3))
        #expect(log.write(to: 1, since: 9) != nil)
        #expect(log.write(to: 1, since: 10)?.kind == nil)
    }
}
