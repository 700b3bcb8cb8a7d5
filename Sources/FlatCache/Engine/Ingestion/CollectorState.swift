/// The entities that a scope has collected, in one collection for each type.
///
/// The ingestion's lock guards it.
@usableFromInline
struct CollectorState {
    /// A point of the document to which a collector can return.
    @usableFromInline
    struct Mark {
        @usableFromInline let number: Int

        @inlinable
        init(number: Int) { self.number = number }
    }

    private struct Entry {
        let number: Int
        let thread: UInt
        /// The index of the entity's collection.
        let collection: Int
    }

    /// The collections; those of one type are in the order of the document.
    @usableFromInline private(set) var collections: [any AnyEntityCollection] = []
    /// The types of the entities.
    @usableFromInline private(set) var types: [ObjectIdentifier] = []
    /// The indices of the collections that receive the next entities of the types.
    ///
    /// A scope has few types, so they are searched one by one: hashing takes longer.
    @usableFromInline private(set) var indices: [Int] = []
    /// The stamps of the collections of inner scopes that have stamps of their own, by index.
    private var stamps: [Int: IngestionStamp] = [:]
    /// The collected entities in their order.
    private var log: [Entry] = []
    @usableFromInline private(set) var nextNumber = 0
    /// The entities of inner scopes, which this collector has received or which are stored already.
    private(set) var innerEntities = InnerEntities()

    @usableFromInline
    init() {}

    /// Returns the collection of a type, creating it on the first request.
    @inlinable
    mutating func collection<Value: Identifiable & Sendable>(
        of type: Value.Type
    ) -> EntityCollection<Value> where Value.ID: Sendable {
        let typeIdentifier = ObjectIdentifier(type)
        if let position = types.firstIndex(of: typeIdentifier) {
            // A collection is found by its type identifier, so it's of that type.
            return unsafeDowncast(collections[indices[position]], to: EntityCollection<Value>.self)
        }
        let collection = EntityCollection<Value>(index: collections.count)
        add(collection, of: typeIdentifier)
        return collection
    }

    @usableFromInline
    mutating func add(_ collection: any AnyEntityCollection, of type: ObjectIdentifier) {
        if let position = types.firstIndex(of: type) {
            indices[position] = collections.count
        } else {
            types.append(type)
            indices.append(collections.count)
        }
        collections.append(collection)
    }

    /// Appends a value.
    ///
    /// - Returns: The collection that received the value.
    @inlinable @discardableResult
    mutating func append<Value: Identifiable & Sendable>(
        _ value: Value,
        to collection: EntityCollection<Value>
    ) -> EntityCollection<Value> where Value.ID: Sendable {
        // If an inner scope has ended while the value was decoded, the value comes after it.
        let collection = collection.isClosed ? self.collection(of: Value.self) : collection
        collection.values.append(value)
        logAddition(to: collection.index)
        return collection
    }

    @inlinable
    mutating func append<Value: Identifiable & Sendable>(contentsOf values: [Value])
    where Value.ID: Sendable {
        let collection = collection(of: Value.self)
        if collection.values.isEmpty {
            collection.values = values
        } else {
            collection.values += values
        }
        logAdditions(values.count, to: collection.index)
    }

    /// Adds the collection of an inner scope that has a stamp of its own.
    ///
    /// Later entities of the type come after it, in another collection.
    mutating func add(_ collection: any AnyEntityCollection, _ stamp: IngestionStamp) {
        let index = collections.count
        collections.append(collection)
        stamps[index] = stamp
        logAdditions(collection.count, to: index)
        if let position = types.firstIndex(of: collection.type) {
            let previous = collections[indices[position]]
            add(previous.close(continuingAt: collections.count), of: collection.type)
        }
    }

    @usableFromInline
    mutating func logAddition(to index: Int) {
        log.append(Entry(number: nextNumber, thread: currentThread, collection: index))
        nextNumber += 1
    }

    @usableFromInline
    mutating func logAdditions(_ count: Int, to index: Int) {
        for _ in 0..<count { logAddition(to: index) }
    }

    @inlinable var mark: Mark { Mark(number: nextNumber) }

    /// Removes the entities that the calling thread has collected since a mark.
    ///
    /// A value is decoded on one thread without suspension, so these are the entities inside the
    /// value. Other threads may have collected entities meanwhile, which stay.
    ///
    /// - Returns: The removed values. The caller releases them outside the lock, since releasing a
    ///   value may run any code.
    /// - Complexity: O(*n*) in the number of entities that were collected since the mark.
    mutating func returnTo(_ mark: Mark) -> [Any] {
        let thread = currentThread
        var start = log.count
        while start > 0, log[start - 1].number >= mark.number { start -= 1 }
        let since = Array(log[start...])
        // For each collection, whether its last entities are removed.
        var isRemoved: [Int: [Bool]] = [:]
        for entry in since {
            isRemoved[entry.collection, default: []].append(entry.thread == thread)
        }
        log.removeSubrange(start...)
        log += since.lazy.filter { $0.thread != thread }
        return isRemoved.map { collections[$0].removeLast($1) }
            + innerEntities.removeNotes(since: mark.number)
    }

    @usableFromInline var hasInnerEntities: Bool { !innerEntities.isEmpty }

    /// Notes the entities of an inner scope.
    mutating func note(_ ending: IngestionState.Ending) {
        for entities in ending.collections {
            innerEntities.add(entities.collection, number: nextNumber)
        }
        innerEntities.add(ending.innerEntities, number: nextNumber)
        nextNumber += 1
    }

    /// Returns the entities, and removes them.
    ///
    /// - Parameter stamp: The stamp of the entities without a stamp of their own.
    mutating func takeEntities(_ stamp: IngestionStamp?) -> [CollectedEntities] {
        defer { self = CollectorState() }
        return collections.enumerated()
            .map { CollectedEntities(collection: $1, stamp: stamps[$0] ?? stamp) }
            .filter { $0.count > 0 }
    }
}
