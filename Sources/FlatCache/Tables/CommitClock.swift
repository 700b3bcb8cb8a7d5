public import Synchronization

/// The version that readers see, the older versions that open snapshots read, and the registrations
/// that count from one of these.
///
/// A commit becomes visible, whatever its size, by one store to `visibleVersion`.
@usableFromInline
final class CommitClock: @unchecked Sendable {
    // All is atomic but `snapshots` and `registrations`, which `snapshotLock` guards.

    @usableFromInline let version = Atomic<UInt64>(0)
    @usableFromInline let openSnapshots = Atomic<Int>(0)
    private let leftovers = Atomic<Bool>(false)
    private let hasWaiting = Atomic<Bool>(false)
    private let snapshotLock = Lock()
    /// The versions that open snapshots read, lowest first, and by how many each is read.
    @exclusivity(unchecked) private var snapshots: [(version: UInt64, count: Int)] = []
    /// The registrations that wait to be added; each keeps a snapshot of its version open.
    @exclusivity(unchecked) private var registrations: [Registration] = []

    /// The version of the latest commit that readers see.
    @inlinable var visibleVersion: UInt64 { version.load(ordering: .acquiring) }

    /// Makes a commit visible to all readers.
    ///
    /// Called under the writers' lock.
    ///
    /// Sequentially consistent together with `hasOpenSnapshots` and `openSnapshot()`: a snapshot
    /// that the writer does not see as open afterwards has not read the version before this.
    @inlinable
    func publish(_ newVersion: UInt64) {
        version.store(newVersion, ordering: .sequentiallyConsistent)
    }

    // MARK: Snapshots

    @inlinable var hasOpenSnapshots: Bool {
        openSnapshots.load(ordering: .sequentiallyConsistent) > 0
    }

    /// The versions that open snapshots read, lowest first.
    var openSnapshotVersions: [UInt64] { snapshotLock.withLock { snapshots.map(\.version) } }

    /// Opens a snapshot and returns the version that it reads until it is closed.
    func openSnapshot() -> UInt64 {
        snapshotLock.withLock { open(1) }
    }

    /// Closes a snapshot that reads a version.
    func closeSnapshot(_ version: UInt64) {
        snapshotLock.withLock { close(version) }
    }

    /// Opens some snapshots of the visible version, under the lock.
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

    /// Whether registrations wait to be added.
    ///
    /// Sequentially consistent, like the visible version: a writer that has published a version and
    /// then sees none waiting has missed no registration that counts from an older version.
    var hasRegistrations: Bool { hasWaiting.load(ordering: .sequentiallyConsistent) }

    /// Adds a registration, which counts from the visible version, to those that wait, and opens a
    /// snapshot for it.
    ///
    /// - Parameter opensAnother: Whether a second snapshot of the same version is opened, which the caller
    ///   closes.
    func enqueue(_ registration: Registration, opensAnother: Bool) {
        snapshotLock.withLock {
            hasWaiting.store(true, ordering: .sequentiallyConsistent)
            registration.version = open(opensAnother ? 2 : 1)
            registration.position = registrations.count
            registrations.append(registration)
        }
    }

    /// Takes a registration that has ended out of those that wait, so that they don't grow while
    /// observations come and go; returns whether it was waiting.
    func cancel(_ registration: Registration) -> Bool {
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

    /// Takes the registrations that wait; the caller adds them and closes their snapshots.
    ///
    /// Called under the writers' lock.
    func takeRegistrations() -> [Registration] {
        snapshotLock.withLock {
            defer { registrations = [] }
            for registration in registrations { registration.position = nil }
            hasWaiting.store(false, ordering: .sequentiallyConsistent)
            return registrations
        }
    }

    /// Closes the snapshots of registrations that have been added.
    func closeSnapshots(of registrations: [Registration]) {
        snapshotLock.withLock {
            for registration in registrations { close(registration.version) }
        }
    }

    // MARK: Leftovers

    /// Whether tables hold something only because a snapshot was open when they were written.
    ///
    /// Sequentially consistent, like the number of open snapshots: of the writer that sets this and
    /// the snapshot that closes, at least one sees what the other has done.
    var hasLeftovers: Bool {
        get { leftovers.load(ordering: .sequentiallyConsistent) }
        set { leftovers.store(newValue, ordering: .sequentiallyConsistent) }
    }

    /// Whether what was kept for snapshots can go.
    var mustSettle: Bool { hasLeftovers && !hasOpenSnapshots }
}
