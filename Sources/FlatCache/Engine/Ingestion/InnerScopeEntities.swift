/// The entities that inner scopes have collected, by type.
///
/// If the closure of an ingest returns an entity of an inner ingest, the outer ingest must not
/// collect it once more: the inner ingest may have a modification stamp.
struct InnerScopeEntities {
    struct Group {
        /// The number of the group among the entities and groups of its collector.
        let number: Int
        let thread: UInt
        /// The entities, which are an array.
        let values: any Sendable
    }

    /// The groups of each type, in their order.
    private var groups: [ObjectIdentifier: [Group]] = [:]

    var isEmpty: Bool { groups.isEmpty }

    mutating func add(_ buffer: any AnyEntityBuffer, number: Int) {
        add(buffer.allValues, of: buffer.type, number: number)
    }

    mutating func add(_ other: InnerScopeEntities, number: Int) {
        for (type, others) in other.groups {
            for group in others { add(group.values, of: type, number: number) }
        }
    }

    private mutating func add(_ values: any Sendable, of type: ObjectIdentifier, number: Int) {
        let group = Group(number: number, thread: currentThread, values: values)
        groups[type, default: []].append(group)
    }

    func groups<Value>(of type: Value.Type) -> [Group] { groups[ObjectIdentifier(type)] ?? [] }

    /// Removes the groups that the calling thread has added since a number.
    ///
    /// - Returns: The removed groups, to be released outside the lock.
    /// - Complexity: O(*n*) in the number of groups since the number, and in the number of types.
    mutating func removeGroups(since number: Int) -> [Any] {
        let thread = currentThread
        var removed: [Any] = []
        for (type, all) in groups {
            guard let last = all.last, last.number >= number else { continue }
            let start = (all.lastIndex { $0.number < number } ?? -1) + 1
            let kept = all[start...].filter { $0.thread != thread }
            removed.append(all[start...].filter { $0.thread == thread })
            groups[type]?.replaceSubrange(start..., with: kept)
        }
        return removed
    }
}
