/// The state of a scope.
///
/// The ingestion's lock guards it.
@usableFromInline
struct IngestionState {
    @usableFromInline var collector = CollectorState()
    @usableFromInline var report = Ingestion.Report()
    @usableFromInline private(set) var hasEnded = false
    /// The scope in which this scope was opened, or `nil` after the end of this scope.
    private(set) var enclosing: Ingestion?
    /// An entity that the result contains in a plain property.
    var plainEntity: PlainEntity?

    init(in enclosing: Ingestion?) { self.enclosing = enclosing }

    /// Collects a value; returns the buffer that receives further values of the type.
    @inlinable @discardableResult
    mutating func collect<Value: Identifiable & Sendable>(
        _ value: Value,
        in buffer: EntityBuffer<Value>,
        isNested: Bool = false
    ) -> EntityBuffer<Value> where Value.ID: Sendable {
        guard hasEnded else { return collector.append(value, to: buffer, isNested: isNested) }
        countLate()
        return buffer
    }

    @inlinable
    mutating func collect<Value: Identifiable & Sendable>(contentsOf values: [Value])
    where Value.ID: Sendable {
        if hasEnded {
            countLate(values.count)
        } else {
            collector.append(contentsOf: values)
        }
    }

    @usableFromInline
    mutating func countLate(_ count: Int = 1) { report.lateCount += count }

    /// Takes the entities of an inner scope that has ended.
    ///
    /// - Returns: `false` if this scope has ended, too.
    mutating func adopt(_ scope: EndedScope) -> Bool {
        if hasEnded { return false }
        recordEntities(of: scope)
        for entities in scope.buffers {
            if let stamp = entities.stamp {
                collector.add(entities.buffer, stamp, nested: entities.nested)
            } else {
                entities.buffer.append(to: &collector, nested: entities.nested)
            }
        }
        return true
    }

    mutating func recordEntities(of scope: EndedScope) {
        if !hasEnded { collector.recordEntities(of: scope) }
    }

    /// Ends the scope.
    ///
    /// - Parameter hasRequirements: `true` if any type has a requirement of whole values.
    /// - Returns: The entities to store. The caller releases the enclosing scope outside the lock.
    mutating func end(_ stamp: IngestionStamp?, hasRequirements: Bool) -> EndedScope {
        hasEnded = true
        defer {
            enclosing = nil
            plainEntity = nil
        }
        let innerEntities = enclosing == nil ? InnerScopeEntities() : collector.innerEntities
        return EndedScope(
            buffers: collector.takeEntities(stamp, hasRequirements: hasRequirements),
            enclosing: enclosing,
            innerEntities: innerEntities,
            plainEntity: plainEntity
        )
    }
}

extension Ingestion {
    /// Collects a result of the closure, unless an inner ingest has collected it.
    @usableFromInline
    func collect<Value: Identifiable & Sendable>(result: Value) where Value.ID: Sendable {
        let groups = state.withLock { $0.collector.innerEntities.groups(of: Value.self) }
        // Comparing identifiers and values calls user code, so it happens outside the lock. The
        // search begins with the latest inner ingest, since that one usually returned the result.
        let isCollected = groups.reversed().contains { group in
            guard let values = group.values as? [Value] else { return false }
            return values.contains { $0.id == result.id && Self.isSame($0, result) }
        }
        if !isCollected { collect(result) }
    }

    /// Collects an element of a sequence, unless an inner ingest has collected it.
    @inlinable
    func collect<Value: Identifiable & Sendable>(element: Value) where Value.ID: Sendable {
        let isCollected = state.withLock { state in
            if state.collector.hasInnerEntities { return false }
            state.collect(element, in: state.collector.buffer(of: Value.self))
            return true
        }
        if !isCollected { collect(result: element) }
    }

    /// Collects results of the closure, unless an inner ingest has collected them.
    @usableFromInline
    func collect<Value: Identifiable & Sendable>(results: [Value]) where Value.ID: Sendable {
        let groups = state.withLock { $0.collector.innerEntities.groups(of: Value.self) }
        if groups.isEmpty { return collect(contentsOf: results) }
        let collected = groups.compactMap { $0.values as? [Value] }.joined()
        let known = Dictionary(grouping: collected, by: \.id)
        collect(
            contentsOf: results.filter { result in
                !known[result.id, default: []].contains { Self.isSame($0, result) }
            }
        )
    }

    /// Returns whether two values of an entity are the same.
    ///
    /// Values that can't be compared are the same if they consist of the same bits, including
    /// padding, so an equal value can still be stored again.
    private static func isSame<Value>(_ left: Value, _ right: Value) -> Bool {
        if ConformanceProbe<Value>.findsEquatable, let left = left as? any Equatable {
            return left.isEqual(to: right)
        }
        return withUnsafeBytes(of: left) { left in
            withUnsafeBytes(of: right) { left.elementsEqual($0) }
        }
    }
}

extension Equatable {
    fileprivate func isEqual(to other: Any) -> Bool { other as? Self == self }
}

/// The entities that inner scopes have collected, by type.
///
/// If the closure of an ingest returns an entity of an inner ingest, the outer ingest must not
/// collect it once more: the inner ingest may have a modification stamp.
struct InnerScopeEntities {
    struct Group {
        /// The number of the group among the entities and groups of its collector.
        let number: Int
        let thread: UInt
        /// The entities, as an array.
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

/// The entities of a scope that has ended, and the scope around it.
@usableFromInline
struct EndedScope {
    let buffers: [StampedEntities]
    let enclosing: Ingestion?
    let innerEntities: InnerScopeEntities
    let plainEntity: PlainEntity?

    var count: Int { buffers.reduce(0) { $0 + $1.count } }
}
