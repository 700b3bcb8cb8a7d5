@testable import FlatCache
@testable import FlatCacheTestSupport

/// The values that a commit changed, or `nil` for each value that it removed.
struct StressCommit: Sendable {
    let version: UInt64
    let changes: [StressEntity.ID: StressEntity?]
}

/// The contents before a removal of unobserved values, and the identifiers that it kept.
struct StressPrune: Sendable {
    let contents: [StressEntity.ID: StressEntity]
    let kept: StressEntityIDs
    /// The times on the logical clock at which the removal began and ended.
    let start: Int
    let end: Int
}

/// The record of all writes of a round, in the order of their commits.
///
/// Writers add entries while they hold the writers' lock, so the entries have the order of the
/// commits. The lock of the record makes its access to shared state visibly safe.
final class StressWrites: Sendable {
    private struct Entry {
        /// The cache's version at the time of the write, which is the version of the preceding
        /// commit.
        let base: UInt64
        let changes: [StressEntity.ID: StressEntity?]
    }

    private struct State {
        var contents: [StressEntity.ID: StressEntity] = [:]
        var entries: [Entry] = []
        var prunes: [StressPrune] = []
    }

    private let state = Locked(State())

    /// The expected contents of the cache, valid for a thread that holds the writers' lock.
    var contents: [StressEntity.ID: StressEntity] { state.withLock { $0.contents } }

    var prunes: [StressPrune] { state.withLock { $0.prunes } }

    /// Records the contents that the current commit will leave.
    func record(_ contents: [StressEntity.ID: StressEntity], base: UInt64) {
        state.withLock { state in
            var changes: [StressEntity.ID: StressEntity?] = [:]
            for id in Set(contents.keys).union(state.contents.keys)
            where contents[id] != state.contents[id] {
                changes[id] = .some(contents[id])
            }
            state.entries.append(Entry(base: base, changes: changes))
            state.contents = contents
        }
    }

    /// Records a single value that the current commit will store.
    func record(_ value: StressEntity, base: UInt64) {
        state.withLock { state in
            state.entries.append(Entry(base: base, changes: [value.id: .some(value)]))
            state.contents[value.id] = value
        }
    }

    func record(_ prune: StressPrune) {
        state.withLock { $0.prunes.append(prune) }
    }

    /// Returns the commits in order, after the last write of the round.
    ///
    /// Each entry's version is the base version of the entry after it.
    func commits(upTo finalVersion: UInt64, problems: inout [String]) -> [StressCommit] {
        let entries = state.withLock { $0.entries }
        var commits: [StressCommit] = []
        for (index, entry) in entries.enumerated() {
            let version = index + 1 < entries.count ? entries[index + 1].base : finalVersion
            if entry.changes.isEmpty != (version == entry.base) || version < entry.base {
                problems.append(
                    "A commit of \(entry.changes.count) changes made \(version) of \(entry.base)."
                )
            }
            guard !entry.changes.isEmpty else { continue }
            commits.append(StressCommit(version: version, changes: entry.changes))
        }
        return commits
    }
}
