@testable import FlatCache

/// A copy of a query's groups that its changes keep current.
final class GroupsMirror<Key: Hashable & Sendable>: Sendable {
    private let groups: QueryGroups<Key, Int>
    private let changes = Recorder<QueryGroupsChange<Key, Int>>()
    private let known = Locked<[Key: Int]>([:])

    init(_ groups: QueryGroups<Key, Int>) { self.groups = groups }

    /// Begins an observation.
    ///
    /// - Parameter present: The present groups.
    func observe(knowing present: [Key: Int]) -> Disposable {
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
    func difference(_ expected: [Key: Int], mayBeEmpty: Bool = false) -> String? {
        let old = known.withLock { known in
            defer { known = expected }
            return known
        }
        let changes = changes.all
        self.changes.removeAll()
        let keys = Set(old.keys).union(expected.keys)
        for key in keys where groups[key] != expected[key] {
            return "\(groups[key] as Any) for \(key)"
        }
        let changed = keys.filter { old[$0] != expected[$0] }
        if mayBeEmpty, changed.isEmpty, changes.map(\.changedKeys) == [[]] { return nil }
        if changes.map(\.changedKeys) != (changed.isEmpty ? [] : [changed]) {
            return "\(changes.map(\.changedKeys)) from \(old) to \(expected)"
        }
        for change in changes {
            for key in keys
            where change.value(of: key) != expected[key] || change.oldValue(of: key) != old[key] {
                return "value of \(key)"
            }
        }
        return nil
    }
}
