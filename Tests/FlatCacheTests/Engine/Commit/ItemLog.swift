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
        cache.add(self) { _, _ in false }
    }
}

extension Cache {
    /// Adds a participant, with a hook that decides about exchanges of items in place.
    func add(
        _ participant: any CommitParticipant,
        allowingExchange allowsExchange: @escaping @Sendable (_ stored: Item, _ new: Item) -> Bool
    ) -> Disposable {
        let number = core.nextRegistration()
        let registration = PendingRegistration(
            add: { [unowned core] _ in
                let hook = ExchangeHook(allowsExchange)
                core.tables.table(of: Item.self).exchangeHooks.insert(hook, for: number)
            }
        )
        core.register(registration, "add(_:allowingExchange:)")
        let hook = core.token(for: registration) { [unowned core] _ in
            core.tables.table(of: Item.self).exchangeHooks.remove(number)
        }
        let token = add(participant)
        return Disposable {
            hook.dispose()
            token.dispose()
        }
    }
}
