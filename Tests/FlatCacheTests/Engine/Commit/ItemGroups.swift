@testable import FlatCache
@testable import FlatCacheTestSupport

/// A deriver that keeps the members of each group of items.
final class ItemGroups: CommitDeriver {
    func derive(_ commit: inout Commit) {
        for change in commit.changes(of: Item.self) {
            guard change.old?.group != change.new?.group else { continue }
            if let old = change.old?.group {
                var group = commit.value(ItemGroup.self, id: old) ?? ItemGroup(id: old)
                group.members.remove(change.id)
                if group.members.isEmpty {
                    commit.remove(ItemGroup.self, id: old)
                } else {
                    commit.set(group)
                }
            }
            if let new = change.new?.group {
                var group = commit.value(ItemGroup.self, id: new) ?? ItemGroup(id: new)
                group.members.insert(change.id)
                commit.set(group)
            }
        }
    }

    /// Registers the deriver, with a hook that allows items to stay in their group.
    static func register(in cache: Cache) -> Disposable {
        cache.add(ItemGroups()) { $0.group == $1.group }
    }
}
