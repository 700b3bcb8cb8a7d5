extension Ingestion {
    /// Collects a result of the closure, unless an inner ingest has collected it.
    @usableFromInline
    func collect<Value: Identifiable & Sendable>(result: Value) where Value.ID: Sendable {
        let groups = state.withLock { $0.collector.innerEntities.groups(of: Value.self) }
        // Comparing identifiers and values calls user code, so it happens outside the lock. The
        // search begins with the latest inner ingest, which usually returned the result.
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

    /// Returns a Boolean value that indicates whether two values of an entity are the same.
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
