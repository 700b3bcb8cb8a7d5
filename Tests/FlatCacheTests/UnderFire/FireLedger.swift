@testable import FlatCache

/// What a commit did to the sparks.
struct FireCommit: Sendable {
    let version: UInt64
    let changes: [Spark.ID: Spark?]
}

/// What a removal of unobserved values left and took, and of what.
struct FirePrune: Sendable {
    let contents: [Spark.ID: Spark]
    let kept: SparkIDs
    /// When it began and when it ended, on the logical clock.
    let start: Int
    let end: Int
}

/// What the writers have written, in the order of their commits.
///
/// They note it while they have the writers' lock, so that the order is that of the commits; its
/// own lock only makes that plain.
final class FireLedger: Sendable {
    private struct Entry {
        /// The cache's version when this was written: that of the commit before.
        let base: UInt64
        let changes: [Spark.ID: Spark?]
    }

    private struct State {
        var contents: [Spark.ID: Spark] = [:]
        var entries: [Entry] = []
        var prunes: [FirePrune] = []
    }

    private let state = Guarded(State())

    /// What the cache must contain; for a thread that has the writers' lock.
    var contents: [Spark.ID: Spark] { state.withLock { $0.contents } }

    var prunes: [FirePrune] { state.withLock { $0.prunes } }

    /// Notes what the contents are after the commit under way.
    func note(_ contents: [Spark.ID: Spark], base: UInt64) {
        state.withLock { state in
            var changes: [Spark.ID: Spark?] = [:]
            for id in Set(contents.keys).union(state.contents.keys)
            where contents[id] != state.contents[id] {
                changes[id] = .some(contents[id])
            }
            state.entries.append(Entry(base: base, changes: changes))
            state.contents = contents
        }
    }

    /// Notes one value that the commit under way stores.
    func note(_ value: Spark, base: UInt64) {
        state.withLock { state in
            state.entries.append(Entry(base: base, changes: [value.id: .some(value)]))
            state.contents[value.id] = value
        }
    }

    func note(_ prune: FirePrune) {
        state.withLock { $0.prunes.append(prune) }
    }

    /// The commits, in their order, when there are no more to come.
    ///
    /// The version of each is what the writer after it has found.
    func commits(upTo finalVersion: UInt64, problems: inout [String]) -> [FireCommit] {
        let entries = state.withLock { $0.entries }
        var commits: [FireCommit] = []
        for (index, entry) in entries.enumerated() {
            let version = index + 1 < entries.count ? entries[index + 1].base : finalVersion
            if entry.changes.isEmpty != (version == entry.base) || version < entry.base {
                problems.append(
                    "A commit of \(entry.changes.count) changes made \(version) of \(entry.base)."
                )
            }
            guard !entry.changes.isEmpty else { continue }
            commits.append(FireCommit(version: version, changes: entry.changes))
        }
        return commits
    }
}
