public import Synchronization

/// The visible version, the versions of open snapshots, and the registrations that count from one
/// of these.
///
/// A commit of any size becomes visible by one store to `visibleVersion`.
@usableFromInline
final class CommitClock: @unchecked Sendable {
    // All properties are constant or atomic except `snapshots` and `registrations`, which
    // `snapshotLock` guards, and the closures of tests.

    @usableFromInline let version = Atomic<UInt64>(0)
    @usableFromInline let openSnapshots = Atomic<Int>(0)
    private let unreclaimedTables = Atomic<Bool>(false)
    private let hasWaiting = Atomic<Bool>(false)
    private let snapshotLock = Lock()
    /// The versions of open snapshots, lowest first, with the number of snapshots of each version.
    @exclusivity(unchecked) private var snapshots: [(version: UInt64, count: Int)] = []
    /// The waiting registrations; each keeps a snapshot of its version open.
    @exclusivity(unchecked) private var registrations: [PendingRegistration] = []

    #if TestHooks
    /// The identity of the visible version, for which tests wait as for state under a lock.
    private let identity = StateTracking.Identity()

    // Tests set these closures before other threads use the clock.

    /// A closure that is called after each look at the visible version.
    @exclusivity(unchecked) var onRead: @Sendable () -> Void = {}
    /// A closure that is called before a commit waits for the readers of a stripe.
    @exclusivity(unchecked) @usableFromInline var onWaitForReaders: @Sendable () -> Void = {}

    /// The version of the latest visible commit.
    @usableFromInline var visibleVersion: UInt64 {
        StateTracking.didRead(identity)
        defer { onRead() }
        return version.load(ordering: .acquiring)
    }
    #else
    /// The version of the latest visible commit.
    @inlinable var visibleVersion: UInt64 { version.load(ordering: .acquiring) }
    #endif

    /// Makes a commit visible to all readers.
    ///
    /// The caller holds the writers' lock. The store is sequentially consistent with
    /// `hasOpenSnapshots` and `openSnapshot()`: if `hasOpenSnapshots` is `false` after this call,
    /// no snapshot shows the previous version, and the writer may drop its values.
    #if TestHooks
    @usableFromInline
    func publish(_ newVersion: UInt64) {
        version.store(newVersion, ordering: .sequentiallyConsistent)
        StateTracking.didChangeAtomically(identity)
    }
    #else
    @inlinable
    func publish(_ newVersion: UInt64) {
        version.store(newVersion, ordering: .sequentiallyConsistent)
    }
    #endif

    /// Makes a commit visible to all readers, unless a snapshot is open.
    ///
    /// - Parameters:
    ///   - newVersion: The version of the commit.
    ///   - prepare: A closure that makes the changes of the commit, at a time when no snapshot can
    ///     be opened. It isn't called if a snapshot is open.
    func publishUnlessSnapshotIsOpen(_ newVersion: UInt64, after prepare: (UInt64) -> Void) {
        snapshotLock.withLock {
            if hasOpenSnapshots { return }
            prepare(newVersion)
            publish(newVersion)
        }
    }

    // MARK: Snapshots

    @inlinable var hasOpenSnapshots: Bool {
        openSnapshots.load(ordering: .sequentiallyConsistent) > 0
    }

    /// The versions of open snapshots, lowest first.
    var openSnapshotVersions: [UInt64] { snapshotLock.withLock { snapshots.map(\.version) } }

    func openSnapshot() -> UInt64 {
        snapshotLock.withLock { open(1) }
    }

    /// Opens another snapshot of a version that is visible or has an open snapshot.
    func openSnapshot(of version: UInt64) {
        snapshotLock.withLock {
            guard let index = snapshots.firstIndex(where: { $0.version == version }) else {
                _ = open(1)
                return
            }
            snapshots[index].count += 1
            openSnapshots.add(1, ordering: .sequentiallyConsistent)
        }
    }

    func closeSnapshot(_ version: UInt64) {
        snapshotLock.withLock { close(version) }
    }

    /// Opens a number of snapshots of the visible version, under the lock.
    private func open(_ count: Int) -> UInt64 {
        openSnapshots.add(count, ordering: .sequentiallyConsistent)
        let version = version.load(ordering: .sequentiallyConsistent)
        if snapshots.last?.version == version {
            snapshots[snapshots.count - 1].count += count
        } else {
            snapshots.append((version, count))
        }
        return version
    }

    private func close(_ version: UInt64) {
        if let index = snapshots.firstIndex(where: { $0.version == version }) {
            snapshots[index].count -= 1
            if snapshots[index].count == 0 { snapshots.remove(at: index) }
        }
        openSnapshots.subtract(1, ordering: .sequentiallyConsistent)
    }

    // MARK: Registrations

    /// `true` if registrations are waiting.
    ///
    /// The load is sequentially consistent, like the visible version: if a writer publishes a
    /// version and then sees no waiting registrations, it has missed none that counts from an older
    /// version.
    @usableFromInline var hasRegistrations: Bool {
        hasWaiting.load(ordering: .sequentiallyConsistent)
    }

    /// Adds a registration to the waiting ones.
    ///
    /// The registration counts from the visible version. The method opens two snapshots of
    /// that version: one for the registration, and one for the caller, who closes it.
    ///
    /// - Returns: The version.
    func enqueue(_ registration: PendingRegistration) -> UInt64 {
        snapshotLock.withLock {
            hasWaiting.store(true, ordering: .sequentiallyConsistent)
            let version = open(2)
            registration.version = version
            registration.position = registrations.count
            registrations.append(registration)
            return version
        }
    }

    /// Removes a registration that has ended before it was added; returns whether it was waiting.
    ///
    /// Without the removal, the list would grow while observations begin and end during a long
    /// write.
    func cancel(_ registration: PendingRegistration) -> Bool {
        snapshotLock.withLock {
            guard let position = registration.position.take() else { return false }
            let last = registrations.removeLast()
            if last !== registration {
                registrations[position] = last
                last.position = position
            }
            if registrations.isEmpty { hasWaiting.store(false, ordering: .sequentiallyConsistent) }
            close(registration.version)
            return true
        }
    }

    /// Returns the waiting registrations, and clears their list.
    ///
    /// Called under the writers' lock. The caller adds the registrations and closes their
    /// snapshots.
    func takeRegistrations() -> [PendingRegistration] {
        snapshotLock.withLock {
            defer { registrations = [] }
            for registration in registrations { registration.position = nil }
            hasWaiting.store(false, ordering: .sequentiallyConsistent)
            return registrations
        }
    }

    func closeSnapshots(of registrations: [PendingRegistration]) {
        snapshotLock.withLock {
            for registration in registrations { close(registration.version) }
        }
    }

    // MARK: Reclaiming

    /// `true` if tables keep data only because a snapshot was open when they were written.
    ///
    /// Accesses are sequentially consistent, like those to the number of open snapshots: of a
    /// writer that sets this property and a snapshot that closes, at least one sees the other's
    /// change.
    var hasUnreclaimedTables: Bool {
        get { unreclaimedTables.load(ordering: .sequentiallyConsistent) }
        set { unreclaimedTables.store(newValue, ordering: .sequentiallyConsistent) }
    }

    /// `true` if the data that was kept for snapshots can be dropped.
    var mustReclaim: Bool { hasUnreclaimedTables && !hasOpenSnapshots }
}

/// The number of values in a table, as of each version that a reader may need.
struct VersionedCount: Sendable {
    private var latest = 0
    private var version: UInt64 = 0
    /// The counts before the latest one, oldest first.
    private var priorCounts: [(count: Int, version: UInt64)] = []

    var holdsPriorCounts: Bool { !priorCounts.isEmpty }

    func count(at readVersion: UInt64) -> Int {
        if version <= readVersion { return latest }
        return priorCounts.last { $0.version <= readVersion }?.count ?? 0
    }

    mutating func add(_ difference: Int, at newVersion: UInt64) {
        priorCounts.append((latest, version))
        latest += difference
        version = newVersion
    }

    /// Drops the counts that none of the given versions reads.
    mutating func reclaim(keeping readVersions: [UInt64]) {
        var newerVersion = version
        var kept: [(count: Int, version: UInt64)] = []
        for older in priorCounts.reversed() {
            if readVersions.contains(where: { older.version <= $0 && $0 < newerVersion }) {
                kept.append(older)
            }
            newerVersion = older.version
        }
        priorCounts = kept.reversed()
    }
}
