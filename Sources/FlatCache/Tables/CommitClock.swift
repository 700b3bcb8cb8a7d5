import Synchronization

/// Which commit readers see, and whether any reader needs an older one.
///
/// A commit becomes visible, whatever its size, by one store to `visibleVersion`.
@usableFromInline
final class CommitClock: @unchecked Sendable {
    // All is atomic but `snapshotVersions`, which `snapshotLock` guards.

    @usableFromInline let version = Atomic<UInt64>(0)
    @usableFromInline let openSnapshots = Atomic<Int>(0)
    private let snapshotLock = Lock()
    /// The versions that open snapshots read, in no order.
    @exclusivity(unchecked) private var snapshotVersions: [UInt64] = []
    private let leftovers = Atomic<Bool>(false)

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

    @inlinable var hasOpenSnapshots: Bool {
        openSnapshots.load(ordering: .sequentiallyConsistent) > 0
    }

    /// The versions that open snapshots read, in no order.
    ///
    /// Copied under the lock: the array's own memory must not be read outside it while a snapshot
    /// that closes changes it.
    var openSnapshotVersions: [UInt64] { snapshotLock.withLock { snapshotVersions.map(\.self) } }

    /// Opens a snapshot and returns the version that it reads until it is closed.
    func openSnapshot() -> UInt64 {
        snapshotLock.withLock {
            openSnapshots.add(1, ordering: .sequentiallyConsistent)
            let version = version.load(ordering: .sequentiallyConsistent)
            snapshotVersions.append(version)
            return version
        }
    }

    /// Closes a snapshot that reads a version.
    func closeSnapshot(_ version: UInt64) {
        snapshotLock.withLock {
            if let index = snapshotVersions.firstIndex(of: version) {
                snapshotVersions.swapAt(index, snapshotVersions.count - 1)
                snapshotVersions.removeLast()
            }
            openSnapshots.subtract(1, ordering: .sequentiallyConsistent)
        }
    }

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
