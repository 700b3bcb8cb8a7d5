/// The state of a scope.
///
/// The ingestion's lock guards it.
@usableFromInline
struct IngestionState {
    /// The entities of a scope that has ended, and its place.
    @usableFromInline
    struct Ending {
        let collections: [CollectedEntities]
        let enclosing: Ingestion?
        /// The entities of the inner scopes.
        let innerEntities: InnerEntities

        /// The number of entities.
        var count: Int { collections.reduce(0) { $0 + $1.count } }
    }

    @usableFromInline var collector = CollectorState()
    @usableFromInline var report = Ingestion.Report()
    @usableFromInline private(set) var hasEnded = false
    /// The scope in which this scope was opened, until the end of this scope.
    private(set) var enclosing: Ingestion?

    init(in enclosing: Ingestion?) { self.enclosing = enclosing }

    /// Collects a value.
    ///
    /// - Returns: The collection that receives further values of the type.
    @inlinable @discardableResult
    mutating func collect<Value: Identifiable & Sendable>(
        _ value: Value,
        in collection: EntityCollection<Value>
    ) -> EntityCollection<Value> where Value.ID: Sendable {
        guard hasEnded else { return collector.append(value, to: collection) }
        countLate()
        return collection
    }

    /// Collects values in their order.
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
    /// - Returns: `false` if the scope has ended itself.
    mutating func adopt(_ ending: Ending) -> Bool {
        if hasEnded { return false }
        note(ending)
        for entities in ending.collections {
            if let stamp = entities.stamp {
                collector.add(entities.collection, stamp)
            } else {
                entities.collection.append(to: &collector)
            }
        }
        return true
    }

    /// Notes the entities of an inner scope that has ended.
    mutating func note(_ ending: Ending) {
        if !hasEnded { collector.note(ending) }
    }

    /// Ends the scope.
    ///
    /// - Returns: The entities to store. The caller releases the enclosing scope outside the lock.
    mutating func end(_ stamp: IngestionStamp?) -> Ending {
        hasEnded = true
        defer { enclosing = nil }
        let innerEntities = enclosing == nil ? InnerEntities() : collector.innerEntities
        return Ending(
            collections: collector.takeEntities(stamp),
            enclosing: enclosing,
            innerEntities: innerEntities
        )
    }
}

/// The entities of one type that a scope has collected, with their modification stamp.
struct CollectedEntities {
    let collection: any AnyEntityCollection
    let stamp: IngestionStamp?

    var count: Int { collection.count }

    func store(in batch: CacheBatch) {
        if let stamp {
            stamp.store(collection, in: batch)
        } else {
            collection.store(in: batch)
        }
    }
}
