@testable import FlatCache

/// What a commit did to the sparks.
struct StressCommit: Sendable {
    let version: UInt64
    let changes: [StressEntity.ID: StressEntity?]
}

/// What a removal of unobserved values left and took, and of what.
struct StressPrune: Sendable {
    let contents: [StressEntity.ID: StressEntity]
    let kept: StressEntityIDs
    /// When it began and when it ended, on the logical clock.
    let start: Int
    let end: Int
}

/// What the writers have written, in the order of their commits.
///
/// They note it while they have the writers' lock, so that the order is that of the commits; its
/// own lock only makes that plain.
final class StressLedger: Sendable {
    private struct Entry {
        /// The cache's version when this was written: that of the commit before.
        let base: UInt64
        let changes: [StressEntity.ID: StressEntity?]
    }

    private struct State {
        var contents: [StressEntity.ID: StressEntity] = [:]
        var entries: [Entry] = []
        var prunes: [StressPrune] = []
    }

    private let state = Locked(State())

    /// What the cache must contain; for a thread that has the writers' lock.
    var contents: [StressEntity.ID: StressEntity] { state.withLock { $0.contents } }

    var prunes: [StressPrune] { state.withLock { $0.prunes } }

    /// Notes what the contents are after the commit under way.
    func note(_ contents: [StressEntity.ID: StressEntity], base: UInt64) {
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

    /// Notes one value that the commit under way stores.
    func note(_ value: StressEntity, base: UInt64) {
        state.withLock { state in
            state.entries.append(Entry(base: base, changes: [value.id: .some(value)]))
            state.contents[value.id] = value
        }
    }

    func note(_ prune: StressPrune) {
        state.withLock { $0.prunes.append(prune) }
    }

    /// The commits, in their order, when there are no more to come.
    ///
    /// The version of each is what the writer after it has found.
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
