@testable import FlatCache
@testable import FlatCacheTestSupport

/// A copy of a query's groups that its changes keep current.
final class GroupsMirror<Key: Hashable & Sendable, Value: Equatable & Sendable>: Sendable {
    /// A closure that returns whether two aggregates are the same.
    private let areSame: @Sendable (Value?, Value?) -> Bool
    private let groups: QueryGroups<Key, Value>
    private let changes = Recorder<QueryGroupsChange<Key, Value>>()
    private let known = Locked<[Key: Value]>([:])

    init(
        _ groups: QueryGroups<Key, Value>,
        _ areSame: @escaping @Sendable (Value?, Value?) -> Bool
    ) {
        self.groups = groups
        self.areSame = areSame
    }

    /// Begins an observation.
    ///
    /// - Parameter present: The present groups.
    func observe(knowing present: [Key: Value]) -> Disposable {
        known.withLock { $0 = present }
        changes.removeAll()
        return groups.observeChanges { [changes] in changes.append($0) }
    }

    /// Returns the description of the first difference between the changes since the last call and
    /// the expected groups.
    ///
    /// - Parameters:
    ///   - expected: The expected groups.
    ///   - mayBeEmpty: A Boolean value that indicates whether the changes may consist of an empty
    ///     one, because the observer may have read the result of a commit during a first run.
    func difference(_ expected: [Key: Value], mayBeEmpty: Bool = false) -> String? {
        let old = known.withLock { known in
            defer { known = expected }
            return known
        }
        let changes = changes.all
        self.changes.removeAll()
        let keys = Set(old.keys).union(expected.keys)
        for key in keys where !areSame(groups[key], expected[key]) {
            return "\(groups[key] as Any) for \(key)"
        }
        let changed = keys.filter { !areSame(old[$0], expected[$0]) }
        if mayBeEmpty, changed.isEmpty, changes.map(\.changedKeys) == [[]] { return nil }
        if changes.map(\.changedKeys) != (changed.isEmpty ? [] : [changed]) {
            return "\(changes.map(\.changedKeys)) from \(old) to \(expected)"
        }
        for change in changes {
            for key in keys
            where !areSame(change.value(of: key), expected[key])
                || !areSame(change.oldValue(of: key), old[key])
            {
                return "value of \(key)"
            }
        }
        return nil
    }
}
