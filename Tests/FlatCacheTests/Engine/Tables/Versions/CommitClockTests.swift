import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct CommitClockTests {
    let clock = CommitClock()

    @Test func showsThePublishedVersion() {
        #expect(clock.visibleVersion == 0)
        clock.publish(3)
        #expect(clock.visibleVersion == 3)
    }

    @Test func commitIsVisibleOnlyAfterItsPreparation() {
        var visibleVersions: [UInt64] = []
        clock.publishUnlessSnapshotIsOpen(1) { version in
            #expect(version == 1)
            visibleVersions.append(clock.visibleVersion)
        }
        visibleVersions.append(clock.visibleVersion)
        #expect(visibleVersions == [0, 1])
    }

    @Test func commitIsNotPreparedWhileASnapshotIsOpen() {
        let version = clock.openSnapshot()
        clock.publishUnlessSnapshotIsOpen(1) { _ in
            Issue.record("The snapshot would show the changes.")
        }
        #expect(clock.visibleVersion == version)
        clock.closeSnapshot(version)
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

    @Test func anotherSnapshotOfAVersionKeepsItOpen() {
        clock.openSnapshot(of: 0)
        let first = clock.openSnapshot()
        clock.publish(1)
        clock.openSnapshot(of: 0)
        clock.openSnapshot(of: 1)
        #expect(clock.openSnapshotVersions == [0, 1])
        clock.closeSnapshot(first)
        clock.closeSnapshot(0)
        #expect(clock.openSnapshotVersions == [0, 1])
        clock.closeSnapshot(0)
        #expect(clock.openSnapshotVersions == [1])
        clock.closeSnapshot(1)
        #expect(!clock.hasOpenSnapshots)
    }

    @Test func waitingRegistrationKeepsItsVersionOpen() {
        clock.publish(2)
        let registration = PendingRegistration { _ in }
        #expect(clock.enqueue(registration) == 2)
        #expect(registration.version == 2)
        #expect(clock.hasRegistrations)
        #expect(clock.openSnapshotVersions == [2])
        let taken = clock.takeRegistrations()
        #expect(taken.count == 1)
        #expect(taken.first === registration)
        #expect(!clock.hasRegistrations)
        clock.closeSnapshots(of: taken)
        // The caller's snapshot is still open.
        #expect(clock.openSnapshotVersions == [2])
        clock.closeSnapshot(2)
        #expect(!clock.hasOpenSnapshots)
        #expect(!clock.cancel(registration))
    }

    @Test func cancelledRegistrationClosesItsSnapshotOnly() {
        let registrations = (0..<4).map { _ in PendingRegistration { _ in } }
        let versions = registrations.map { clock.enqueue($0) }
        for version in versions.dropFirst() { clock.closeSnapshot(version) }
        for index in [1, 3, 0] { #expect(clock.cancel(registrations[index])) }
        #expect(!clock.cancel(registrations[1]))
        let taken = clock.takeRegistrations()
        #expect(taken.count == 1)
        #expect(taken.first === registrations[2])
        clock.closeSnapshots(of: taken)
        // The snapshot of the first caller is still open.
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
