import Testing

@testable import FlatCache

struct CommitClockTests {
    let clock = CommitClock()

    @Test func showsThePublishedVersion() {
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
        #expect(clock.openSnapshotVersions == [0, 1])
        clock.closeSnapshot(second)
        #expect(clock.openSnapshotVersions == [0, 1])
        clock.closeSnapshot(first)
        #expect(clock.openSnapshotVersions == [1])
        #expect(clock.hasOpenSnapshots)
        clock.closeSnapshot(third)
        #expect(!clock.hasOpenSnapshots)
    }

    @Test func aWaitingRegistrationKeepsItsVersionOpen() {
        clock.publish(2)
        let registration = Registration {}
        clock.enqueue(registration, opensAnother: false)
        #expect(registration.version == 2)
        #expect(clock.hasRegistrations)
        #expect(clock.openSnapshotVersions == [2])
        let taken = clock.takeRegistrations()
        #expect(taken.count == 1)
        #expect(taken.first === registration)
        #expect(!clock.hasRegistrations)
        #expect(clock.hasOpenSnapshots)
        clock.closeSnapshots(of: taken)
        #expect(!clock.hasOpenSnapshots)
        #expect(!clock.cancel(registration))
    }

    @Test func aCancelledRegistrationClosesItsSnapshotOnly() {
        let registrations = (0..<4).map { _ in Registration {} }
        for registration in registrations {
            clock.enqueue(registration, opensAnother: registration === registrations[1])
        }
        for index in [1, 3, 0] { #expect(clock.cancel(registrations[index])) }
        #expect(!clock.cancel(registrations[1]))
        let taken = clock.takeRegistrations()
        #expect(taken.count == 1)
        #expect(taken.first === registrations[2])
        clock.closeSnapshots(of: taken)
        // The second version still has one open snapshot.
        #expect(clock.hasOpenSnapshots)
        clock.closeSnapshot(0)
        #expect(!clock.hasOpenSnapshots)
    }

    @Test func priorVersionsAreReclaimedOnceNoSnapshotIsOpen() {
        let version = clock.openSnapshot()
        #expect(!clock.mustReclaim)
        clock.hasUnreclaimedTables = true
        #expect(!clock.mustReclaim)
        clock.closeSnapshot(version)
        #expect(clock.mustReclaim)
        clock.hasUnreclaimedTables = false
        #expect(!clock.mustReclaim)
    }
}
