import Testing

@testable import FlatCache

struct CommitClockTests {
    let clock = CommitClock()

    @Test func showsWhatWasPublished() {
        #expect(clock.visibleVersion == 0)
        clock.publish(3)
        #expect(clock.visibleVersion == 3)
    }

    @Test func knowsTheSnapshotsThatAreOpen() {
        #expect(!clock.hasOpenSnapshots)
        let first = clock.openSnapshot()
        clock.publish(1)
        let second = clock.openSnapshot()
        let third = clock.openSnapshot()
        #expect([first, second, third] == [0, 1, 1])
        #expect(clock.openSnapshotVersions.sorted() == [0, 1, 1])
        clock.closeSnapshot(second)
        #expect(clock.openSnapshotVersions.sorted() == [0, 1])
        clock.closeSnapshot(first)
        #expect(clock.openSnapshotVersions == [1])
        #expect(clock.hasOpenSnapshots)
        clock.closeSnapshot(third)
        #expect(!clock.hasOpenSnapshots)
    }

    @Test func whatWasKeptForSnapshotsGoesOnceNoneIsOpen() {
        let version = clock.openSnapshot()
        #expect(!clock.mustSettle)
        clock.hasLeftovers = true
        #expect(!clock.mustSettle)
        clock.closeSnapshot(version)
        #expect(clock.mustSettle)
        clock.hasLeftovers = false
        #expect(!clock.mustSettle)
    }
}
