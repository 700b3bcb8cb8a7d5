import Synchronization

/// Which commit readers see, and whether any reader needs an older one.
///
/// A commit becomes visible, whatever its size, by one store to `visibleVersion`.
final class CommitClock: Sendable {
    private let version = Atomic<UInt64>(0)
    private let openSnapshots = Atomic<Int>(0)
    private let snapshotVersions = Guarded<[UInt64]>([])
    private let leftovers = Atomic<Bool>(false)

    /// The version of the latest commit that readers see.
    var visibleVersion: UInt64 { version.load(ordering: .acquiring) }

    /// Makes a commit visible to all readers.
    ///
    /// Called under the writers' lock.
    ///
    /// Sequentially consistent together with `hasOpenSnapshots` and `openSnapshot()`: a snapshot that
    /// the writer does not see as open afterwards has not read the version before this.
    func publish(_ newVersion: UInt64) {
        version.store(newVersion, ordering: .sequentiallyConsistent)
    }

    var hasOpenSnapshots: Bool { openSnapshots.load(ordering: .sequentiallyConsistent) > 0 }

    /// The versions that open snapshots read, in no order.
    var openSnapshotVersions: [UInt64] { snapshotVersions.withLock { $0 } }

    /// Opens a snapshot and returns the version that it reads until it is closed.
    func openSnapshot() -> UInt64 {
        snapshotVersions.withLock { versions in
            openSnapshots.add(1, ordering: .sequentiallyConsistent)
            let version = version.load(ordering: .sequentiallyConsistent)
            versions.append(version)
            return version
        }
    }

    /// Closes a snapshot that reads a version.
    func closeSnapshot(_ version: UInt64) {
        snapshotVersions.withLock { versions in
            if let index = versions.firstIndex(of: version) {
                versions.swapAt(index, versions.count - 1)
                versions.removeLast()
            }
            openSnapshots.subtract(1, ordering: .sequentiallyConsistent)
        }
    }

    /// Whether tables hold something only because a snapshot was open when they were written.
    ///
    /// Sequentially consistent, like the number of open snapshots: of the writer that sets this and the
    /// snapshot that closes, at least one sees what the other has done.
    var hasLeftovers: Bool {
        get { leftovers.load(ordering: .sequentiallyConsistent) }
        set { leftovers.store(newValue, ordering: .sequentiallyConsistent) }
    }

    /// Whether what was kept for snapshots can go.
    var mustSettle: Bool { hasLeftovers && !hasOpenSnapshots }
}
