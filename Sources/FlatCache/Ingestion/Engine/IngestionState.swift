/// The state of a scope: its report, and the entities that it has collected, in one buffer for each
/// type.
///
/// The ingestion's lock guards it.
@usableFromInline
struct IngestionState {
    /// A position in the order of the entities; a rollback removes the later entities of the
    /// calling thread.
    @usableFromInline
    struct Savepoint {
        @usableFromInline let number: Int

        @inlinable
        init(number: Int) { self.number = number }
    }

    /// The entities of one type that an inner scope has collected.
    ///
    /// If the closure of an ingest returns an entity of an inner ingest, the outer ingest must not
    /// collect it once more: the inner ingest may have a modification stamp.
    struct InnerEntities {
        let type: ObjectIdentifier
        var number: Int
        var thread: UInt
        /// The entities, as an array.
        let values: any Sendable
        let keys: @Sendable () -> [CacheKey]
    }

    /// The types of the buffers.
    ///
    /// A scope has few types, so they are searched one by one: hashing takes longer.
    @usableFromInline private(set) var types: [ObjectIdentifier] = []
    @usableFromInline private(set) var buffers: [any AnyEntityBuffer] = []
    /// The entities of inner scopes that have a separate stamp, and those that precede them.
    private var earlier: [StampedEntities] = []
    @usableFromInline private(set) var nextNumber = 0
    /// The entities of inner scopes that this scope has received or that are stored already.
    private(set) var innerEntities: [InnerEntities] = []
    @usableFromInline var report = Ingestion.Report()
    @usableFromInline private(set) var hasEnded = false
    /// The scope in which this scope was opened, or `nil` after the end of this scope.
    private(set) var enclosing: Ingestion?
    /// An entity that the result contains in a plain property.
    var plainEntity: PlainEntity?

    init(in enclosing: Ingestion?) { self.enclosing = enclosing }

    // MARK: Collecting

    /// Returns the buffer of a type, creating it on the first request.
    @inlinable
    mutating func buffer<Value: Identifiable & Sendable>(
        of type: Value.Type
    ) -> EntityBuffer<Value> where Value.ID: Sendable {
        if let position = types.firstIndex(of: ObjectIdentifier(type)) {
            // A buffer is found by its type identifier, so it's of that type.
            return unsafeDowncast(buffers[position], to: EntityBuffer<Value>.self)
        }
        let buffer = EntityBuffer<Value>()
        add(buffer)
        return buffer
    }

    @usableFromInline
    mutating func add(_ buffer: any AnyEntityBuffer) {
        types.append(buffer.type)
        buffers.append(buffer)
    }

    /// Collects a value, unless the scope has ended.
    @inlinable
    mutating func collect<Value: Identifiable & Sendable>(
        _ value: Value,
        in buffer: EntityBuffer<Value>,
        isNested: Bool = false
    ) where Value.ID: Sendable {
        if hasEnded { return countLate(1) }
        buffer.values.append(value)
        buffer.origins.append(nextOrigin(isNested: isNested))
    }

    @inlinable
    mutating func collect<Value: Identifiable & Sendable>(contentsOf values: [Value])
    where Value.ID: Sendable {
        if hasEnded { return countLate(values.count) }
        let buffer = buffer(of: Value.self)
        if buffer.values.isEmpty { buffer.values = values } else { buffer.values += values }
        for _ in values { buffer.origins.append(nextOrigin(isNested: false)) }
    }

    @usableFromInline
    mutating func countLate(_ count: Int) { report.lateCount += count }

    @usableFromInline
    mutating func nextOrigin(isNested: Bool) -> EntityOrigin {
        defer { nextNumber += 1 }
        return EntityOrigin(number: nextNumber, thread: currentThread, isNested: isNested)
    }

    // MARK: Savepoints

    @inlinable var savepoint: Savepoint { Savepoint(number: nextNumber) }

    /// Removes the entities that the calling thread has collected since a savepoint.
    ///
    /// A value is decoded on one thread without suspension, so these are the entities inside the
    /// value. Entities that other threads have collected meanwhile remain.
    ///
    /// - Returns: The removed values. The caller releases them outside the lock, since releasing a
    ///   value may run any code.
    /// - Complexity: O(*n*) in the number of types, and of entities that were collected since the
    ///   savepoint.
    mutating func rollBack(to savepoint: Savepoint) -> [Any] {
        let removed = (earlier.map(\.buffer) + buffers).map { $0.rollBack(to: savepoint) }
        let rolledBack = innerEntities.partition {
            $0.number >= savepoint.number && $0.thread == currentThread
        }
        defer { innerEntities.removeSubrange(rolledBack...) }
        return removed + [innerEntities]
    }

    // MARK: Scopes

    /// Takes the entities of an inner scope that has ended.
    ///
    /// - Returns: `false` if this scope has ended, too.
    mutating func adopt(_ scope: EndedScope) -> Bool {
        if hasEnded { return false }
        recordEntities(of: scope)
        for entities in scope.buffers {
            let buffer = entities.buffer
            buffer.origins = buffer.origins.map { nextOrigin(isNested: $0.isNested) }
            let position = types.firstIndex(of: buffer.type)
            guard entities.stamp != nil else {
                // The inner scope may still have references to its buffer.
                if let position {
                    buffer.move(to: buffers[position])
                } else {
                    add(buffer.detach())
                }
                continue
            }
            // Later entities of the type come after those of the inner scope.
            if let position, buffers[position].count > 0 {
                earlier.append(StampedEntities(buffer: buffers[position].detach(), stamp: nil))
            }
            earlier.append(entities)
        }
        return true
    }

    mutating func recordEntities(of scope: EndedScope) {
        if hasEnded { return }
        innerEntities += scope.buffers.map {
            InnerEntities(
                type: $0.buffer.type,
                number: nextNumber,
                thread: currentThread,
                values: $0.buffer.allValues,
                keys: $0.buffer.keys
            )
        }
        for var entities in scope.innerEntities {
            entities.number = nextNumber
            entities.thread = currentThread
            innerEntities.append(entities)
        }
        nextNumber += 1
    }

    /// Functions that return the keys of the entities that the scope or an inner one has collected.
    var keys: [@Sendable () -> [CacheKey]] {
        (earlier.map(\.buffer) + buffers).map(\.keys) + innerEntities.map(\.keys)
    }

    /// Returns the entities of a type that inner scopes have collected, as arrays.
    func innerValues<Value>(of type: Value.Type) -> [any Sendable] {
        if innerEntities.isEmpty { return [] }
        return innerEntities.filter { $0.type == ObjectIdentifier(type) }.map(\.values)
    }

    /// Ends the scope.
    ///
    /// - Parameter stamp: The stamp of the entities that have none.
    /// - Returns: The entities to store. The caller releases the enclosing scope outside the lock.
    mutating func end(_ stamp: (any Comparable & Sendable)?) -> EndedScope {
        let all = earlier + buffers.map { StampedEntities(buffer: $0, stamp: nil) }
        let ended = EndedScope(
            buffers: all.filter { $0.buffer.count > 0 }
                .map { StampedEntities(buffer: $0.buffer, stamp: $0.stamp ?? stamp) },
            enclosing: enclosing,
            innerEntities: enclosing == nil ? [] : innerEntities,
            plainEntity: plainEntity
        )
        let report = report
        self = IngestionState(in: nil)
        self.report = report
        hasEnded = true
        return ended
    }
}

/// The entities of one type that a scope has collected, with their modification stamp.
struct StampedEntities {
    let buffer: any AnyEntityBuffer
    let stamp: (any Comparable & Sendable)?
}

/// The entities of a scope that has ended, and the scope around it.
@usableFromInline
struct EndedScope {
    let buffers: [StampedEntities]
    let enclosing: Ingestion?
    let innerEntities: [IngestionState.InnerEntities]
    let plainEntity: PlainEntity?

    var count: Int { buffers.reduce(0) { $0 + $1.buffer.count } }

    /// Stores the entities, as the answer of a load if there's a lease.
    func store(in batch: CacheBatch, under lease: Lease?) {
        for entities in buffers {
            entities.buffer.removeShortForms(in: batch)
            entities.buffer.store(in: batch, modifiedAt: entities.stamp, under: lease)
        }
    }
}

extension Ingestion {
    /// Returns the distinct keys of the collected entities and of a response's relationships.
    func relatedKeys(of response: some Sendable) -> [CacheKey] {
        var known: Set<CacheKey> = []
        (response as? any CachedReference)?.insertCacheKeys(into: &known)
        if let entity = response as? any HasCachedRelationships {
            known.formUnion(entity.relatedCacheKeys)
        }
        var keys = Array(known)
        // Hashing is user code, so it happens outside the lock.
        for collected in state.withLock(\.keys) {
            keys += collected().filter { known.insert($0).inserted }
        }
        return keys
    }

    /// Collects a result of the closure, unless an inner ingest has collected it.
    @usableFromInline
    func collect<Value: Identifiable & Sendable>(result: Value) where Value.ID: Sendable {
        let groups = state.withLock { $0.innerValues(of: Value.self) }
        // Comparing identifiers and values calls user code, so it happens outside the lock. The
        // search begins with the latest inner ingest, since that one usually returned the result.
        let isCollected = groups.reversed().contains { group in
            guard let values = group as? [Value] else { return false }
            return values.contains { $0.id == result.id && Self.isSame($0, result) }
        }
        if !isCollected { collect(result) }
    }

    /// Collects results of the closure, unless an inner ingest has collected them.
    @usableFromInline
    func collect<Value: Identifiable & Sendable>(results: [Value]) where Value.ID: Sendable {
        let groups = state.withLock { $0.innerValues(of: Value.self) }
        if groups.isEmpty { return collect(contentsOf: results) }
        let collected = groups.compactMap { $0 as? [Value] }.joined()
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
    func isEqual(to other: Any) -> Bool { other as? Self == self }
}
