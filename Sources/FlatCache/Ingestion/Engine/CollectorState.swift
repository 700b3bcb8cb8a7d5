/// The entities that a scope has collected, in one buffer for each type.
///
/// The ingestion's lock guards it.
@usableFromInline
struct CollectorState {
    /// A position in the log; a rollback removes the later entities of the calling thread.
    @usableFromInline
    struct Savepoint {
        @usableFromInline let number: Int

        @inlinable
        init(number: Int) { self.number = number }
    }

    private struct Entry {
        let number: Int
        let thread: UInt
        /// The index of the entity's buffer.
        let buffer: Int
        /// `true` if the entity was nested in another one.
        let isNested: Bool
    }

    /// The buffers; those of one type are in the order of the document.
    @usableFromInline private(set) var buffers: [any AnyEntityBuffer] = []
    @usableFromInline private(set) var types: [ObjectIdentifier] = []
    /// The indices of the buffers that receive the next entities of the types.
    ///
    /// A scope has few types, so they are searched one by one: hashing takes longer.
    @usableFromInline private(set) var indices: [Int] = []
    /// The stamps of the buffers of inner scopes that have a separate stamp, by index.
    private var stamps: [Int: IngestionStamp] = [:]
    /// The collected entities in their order.
    private var log: [Entry] = []
    @usableFromInline private(set) var nextNumber = 0
    /// The entities of inner scopes that this collector has received or that are stored already.
    private(set) var innerEntities = InnerScopeEntities()

    @usableFromInline
    init() {}

    /// Returns the buffer of a type, creating it on the first request.
    @inlinable
    mutating func buffer<Value: Identifiable & Sendable>(
        of type: Value.Type
    ) -> EntityBuffer<Value> where Value.ID: Sendable {
        let typeIdentifier = ObjectIdentifier(type)
        if let position = types.firstIndex(of: typeIdentifier) {
            // A buffer is found by its type identifier, so it's of that type.
            return unsafeDowncast(buffers[indices[position]], to: EntityBuffer<Value>.self)
        }
        let buffer = EntityBuffer<Value>(index: buffers.count)
        add(buffer, of: typeIdentifier)
        return buffer
    }

    @usableFromInline
    mutating func add(_ buffer: any AnyEntityBuffer, of type: ObjectIdentifier) {
        if let position = types.firstIndex(of: type) {
            indices[position] = buffers.count
        } else {
            types.append(type)
            indices.append(buffers.count)
        }
        buffers.append(buffer)
    }

    /// Appends a value; returns the buffer that received it.
    @inlinable @discardableResult
    mutating func append<Value: Identifiable & Sendable>(
        _ value: Value,
        to buffer: EntityBuffer<Value>,
        isNested: Bool
    ) -> EntityBuffer<Value> where Value.ID: Sendable {
        // If an inner scope has ended while the value was decoded, the value follows the entities
        // of that scope.
        let buffer = buffer.isClosed ? self.buffer(of: Value.self) : buffer
        buffer.values.append(value)
        logAddition(to: buffer.index, isNested: isNested)
        return buffer
    }

    @inlinable
    mutating func append<Value: Identifiable & Sendable>(
        contentsOf values: [Value],
        nested: [Bool]? = nil
    ) where Value.ID: Sendable {
        let buffer = buffer(of: Value.self)
        if buffer.values.isEmpty {
            buffer.values = values
        } else {
            buffer.values += values
        }
        logAdditions(values.count, to: buffer.index, nested)
    }

    /// Adds the buffer of an inner scope that has a separate stamp.
    ///
    /// Later entities of the type come after it, in another buffer.
    mutating func add(_ buffer: any AnyEntityBuffer, _ stamp: IngestionStamp, nested: [Bool]?) {
        let index = buffers.count
        buffers.append(buffer)
        stamps[index] = stamp
        logAdditions(buffer.count, to: index, nested)
        if let position = types.firstIndex(of: buffer.type) {
            let previous = buffers[indices[position]]
            add(previous.close(continuingAt: buffers.count), of: buffer.type)
        }
    }

    @usableFromInline
    mutating func logAddition(to index: Int, isNested: Bool) {
        log.append(
            Entry(number: nextNumber, thread: currentThread, buffer: index, isNested: isNested)
        )
        nextNumber += 1
    }

    @usableFromInline
    mutating func logAdditions(_ count: Int, to index: Int, _ nested: [Bool]?) {
        for position in 0..<count {
            logAddition(to: index, isNested: nested?[position] ?? false)
        }
    }

    @inlinable var savepoint: Savepoint { Savepoint(number: nextNumber) }

    /// Removes the entities that the calling thread has collected since a savepoint.
    ///
    /// A value is decoded on one thread without suspension, so these are the entities inside the
    /// value. Entities that other threads have collected meanwhile remain.
    ///
    /// - Returns: The removed values. The caller releases them outside the lock, since releasing a
    ///   value may run any code.
    /// - Complexity: O(*n*) in the number of entities that were collected since the savepoint.
    mutating func rollBack(to savepoint: Savepoint) -> [Any] {
        let thread = currentThread
        var start = log.count
        while start > 0, log[start - 1].number >= savepoint.number { start -= 1 }
        let since = Array(log[start...])
        // The decisions about the last entities of each buffer: `true` removes an entity.
        var isRemoved: [Int: [Bool]] = [:]
        for entry in since {
            isRemoved[entry.buffer, default: []].append(entry.thread == thread)
        }
        log.removeSubrange(start...)
        log += since.lazy.filter { $0.thread != thread }
        return isRemoved.map { buffers[$0].removeLast($1) }
            + innerEntities.removeGroups(since: savepoint.number)
    }

    @usableFromInline var hasInnerEntities: Bool { !innerEntities.isEmpty }

    mutating func recordEntities(of scope: EndedScope) {
        for entities in scope.buffers {
            innerEntities.add(entities.buffer, number: nextNumber)
        }
        innerEntities.add(scope.innerEntities, number: nextNumber)
        nextNumber += 1
    }

    /// Returns the entities, and removes them.
    ///
    /// - Parameters:
    ///   - stamp: The stamp of the entities that have none.
    ///   - hasRequirements: `true` if any type has a requirement of whole values.
    mutating func takeEntities(
        _ stamp: IngestionStamp?,
        hasRequirements: Bool
    ) -> [StampedEntities] {
        defer { self = CollectorState() }
        var nested: [[Bool]] = []
        if hasRequirements, log.contains(where: \.isNested) {
            nested = Array(repeating: [], count: buffers.count)
            for entry in log { nested[entry.buffer].append(entry.isNested) }
        }
        return buffers.enumerated()
            .map { index, buffer in
                StampedEntities(
                    buffer: buffer,
                    stamp: stamps[index] ?? stamp,
                    nested: nested.isEmpty ? nil : nested[index]
                )
            }
            .filter { $0.count > 0 }
    }
}

/// The entities of one type that a scope has collected, with their modification stamp.
struct StampedEntities {
    let buffer: any AnyEntityBuffer
    let stamp: IngestionStamp?
    /// For each entity, `true` if it was nested in another one; `nil` if no type requires whole
    /// values, or no entity was nested.
    let nested: [Bool]?

    var count: Int { buffer.count }

    /// Stores the entities, as the answer of a load if there's a lease.
    func store(in batch: CacheBatch, under lease: Lease?) {
        if let nested { buffer.removeShortForms(nested, in: batch) }
        if let stamp {
            stamp.store(buffer, in: batch, under: lease)
        } else {
            buffer.store(in: batch, under: lease)
        }
    }
}

/// The modification stamp with which a scope stores its entities.
@usableFromInline
struct IngestionStamp: Sendable {
    private let store: @Sendable (any AnyEntityBuffer, CacheBatch, Lease?) -> Void

    @usableFromInline
    init(_ stamp: some Comparable & Sendable) {
        store = { $0.store(in: $1, modifiedAt: stamp, under: $2) }
    }

    func store(_ buffer: any AnyEntityBuffer, in batch: CacheBatch, under lease: Lease?) {
        store(buffer, batch, lease)
    }
}
