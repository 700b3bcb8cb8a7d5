import TestSupport

@testable import FlatCache
@testable import FlatCacheTestSupport

/// A recorder that logs the changes of items, and calls a closure after each commit of items.
final class ItemLog: CommitRecorder {
    struct Line: Equatable {
        let version: UInt64
        let origin: String
        let changes: [Int: [Item?]]
    }

    let lines = Recorder<Line>()
    let delivered = Recorder<UInt64>()

    func record(_ commit: inout Commit) {
        let changes = commit.changes(of: Item.self)
        guard !changes.isEmpty else { return }
        let values = changes.map { ($0.id, [$0.old, $0.new]) }
        lines.append(
            Line(
                version: commit.version,
                origin: "\(commit.origin)",
                changes: Dictionary(uniqueKeysWithValues: values)
            )
        )
        commit.notify(0) { [version = commit.version, delivered] in delivered.append(version) }
    }

    /// Registers the recorder, with a hook so that each change of an item passes a commit.
    func register(in cache: Cache) -> Disposable {
        cache.add(self, exchangeHooks: [ExchangeHook(of: Item.self) { _, _ in false }])
    }
}
