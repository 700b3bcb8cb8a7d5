/// The results of the closures of ingests, by type.
///
/// If the closure of an ingest returns the result of an inner ingest, the outer ingest must not
/// collect it once more: the inner ingest may have a modification stamp.
struct IngestionResults {
    /// The lists of values, which are arrays of one type for each identifier.
    private var lists: [ObjectIdentifier: [any Sendable]] = [:]

    var isEmpty: Bool { lists.isEmpty }

    mutating func add<Value: Sendable>(_ values: [Value]) {
        if !values.isEmpty { lists[ObjectIdentifier(Value.self), default: []].append(values) }
    }

    mutating func add(_ other: IngestionResults) {
        lists.merge(other.lists) { $0 + $1 }
    }

    func lists<Value: Sendable>(of type: Value.Type) -> [[Value]] {
        lists[ObjectIdentifier(type), default: []].compactMap { $0 as? [Value] }
    }
}

extension Ingestion {
    /// Collects a result of the closure, unless an inner ingest has collected it.
    @usableFromInline
    func collect<Value: Identifiable & Sendable>(result: Value) where Value.ID: Sendable {
        collect(results: CollectionOfOne(result))
    }

    /// Collects an element of a sequence, unless an inner ingest has collected it.
    @inlinable
    func collect<Value: Identifiable & Sendable>(element: Value) where Value.ID: Sendable {
        let isCollected = state.withLock { state in
            if state.hasRelatedResults { return false }
            state.collect(element, in: state.collector.collection(of: Value.self))
            return true
        }
        if !isCollected { collect(result: element) }
    }

    /// Collects results of the closure, unless an inner ingest has collected them.
    func collect<Value: Identifiable & Sendable>(results: some Collection<Value>)
    where Value.ID: Sendable {
        let results = Array(results)
        let collected = state.withLock { $0.noteResults(results) }
        if collected.isEmpty { return collect(contentsOf: results) }
        // The identifiers and values may compare in any way, so this is done outside the lock.
        guard results.count > 1 else {
            let isNew = results.allSatisfy { result in
                !collected.reversed().joined()
                    .contains { $0.id == result.id && Self.isSame($0, result) }
            }
            if isNew { collect(contentsOf: results) }
            return
        }
        let known = Dictionary(grouping: collected.joined(), by: \.id)
        collect(
            contentsOf: results.filter { result in
                !known[result.id, default: []].contains { Self.isSame($0, result) }
            }
        )
    }

    /// Returns a Boolean value that indicates whether two values of an entity are the same.
    ///
    /// Values that can't be compared are the same if they consist of the same bits.
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
