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

    /// Collects a value.
    ///
    /// - Returns: The buffer that receives further values of the type.
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

    /// Records the entities of an inner scope that has ended.
    mutating func recordEntities(of scope: EndedScope) {
        if !hasEnded { collector.recordEntities(of: scope) }
    }

    /// Ends the scope.
    ///
    /// - Parameters:
    ///   - stamp: The stamp of the scope.
    ///   - hasRequirements: `true` if any type has a requirement of whole values.
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
