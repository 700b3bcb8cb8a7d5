import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct InvalidationLogTests {
    @Test func valueIsStaleSinceTheFirstInvalidationAfterIt() {
        var log = InvalidationLog()
        #expect(log.staleTime(stored: 1, readAt: .max) == nil)
        log.append(5, at: 50)
        log.append(9, at: 90)
        #expect(log.latestVersion == 9)
        #expect(log.staleTime(stored: 4, readAt: .max) == 50)
        #expect(log.staleTime(stored: 5, readAt: .max) == 90)
        #expect(log.staleTime(stored: 9, readAt: .max) == nil)
    }

    @Test func olderSnapshotsDontSeeAnInvalidation() {
        var log = InvalidationLog()
        log.append(5, at: 50)
        log.append(9, at: 90)
        #expect(log.staleTime(stored: 1, readAt: 4) == nil)
        #expect(log.staleTime(stored: 1, readAt: 5) == 50)
        #expect(log.staleTime(stored: 6, readAt: 8) == nil)
    }

    @Test func openSnapshotsKeepTheInvalidationsThatTheySee() {
        var log = InvalidationLog()
        for version in 1...1_000 {
            log.append(
                UInt64(version * 2),
                at: Time(nanoseconds: Int64(version)),
                snapshots: { [21, 800, 801] }
            )
        }
        #expect(log.staleTime(stored: 19, readAt: 21) == 10)
        #expect(log.staleTime(stored: 21, readAt: 21) == nil)
        #expect(log.staleTime(stored: 798, readAt: 800) == 400)
        #expect(log.staleTime(stored: 800, readAt: 801) == nil)
    }

    @Test func memoryIsBounded() {
        var log = InvalidationLog()
        for version in 1...1_000 {
            log.append(UInt64(version), at: Time(nanoseconds: Int64(version)))
        }
        #expect(log.latestVersion == 1_000)
        let oldest = log.staleTime(stored: 0, readAt: .max)
        #expect((oldest ?? .min) >= Time(nanoseconds: 1_000 - Int64(InvalidationLog.maximumCount)))
        #expect(log.staleTime(stored: 999, readAt: .max) == 1_000)
    }
}
