/// The live queries that a change concerns only if its values have certain keys in an index.
protocol QueryRoutes<Element>: AnyObject {
    associatedtype Element: Identifiable & Sendable where Element.ID: Sendable

    var isEmpty: Bool { get }

    func insert(_ query: any ElementQuery<Element>, for condition: any AnyIndexCondition<Element>)
    func remove(_ query: any ElementQuery<Element>, for condition: any AnyIndexCondition<Element>)

    /// Calls a closure once with each query for a key of the old or of the new value.
    func forEachQuery(
        of old: Element?,
        _ new: Element?,
        _ body: (any ElementQuery<Element>) -> Void
    )
}

/// The live queries by the keys of an index, guarded by the writers' lock.
final class IndexRoutes<Element: Identifiable & Sendable, Key: Hashable & Sendable>: QueryRoutes
where Element.ID: Sendable {
    private let index: CacheIndex<Element, Key>
    private var queries: [Key: RegistrationList<any ElementQuery<Element>>] = [:]

    init(_ index: CacheIndex<Element, Key>) { self.index = index }

    var isEmpty: Bool { queries.isEmpty }

    func insert(_ query: any ElementQuery<Element>, for condition: any AnyIndexCondition<Element>) {
        // No value has a key that doesn't equal itself, and the dictionary wouldn't find it again.
        for key in keys(of: condition) where key == key {
            queries[key, default: RegistrationList()].insert(query, for: query.number)
        }
    }

    func remove(_ query: any ElementQuery<Element>, for condition: any AnyIndexCondition<Element>) {
        for key in keys(of: condition) {
            queries[key]?.remove(query.number)
            if queries[key]?.isEmpty ?? false { queries[key] = nil }
        }
    }

    private func keys(of condition: any AnyIndexCondition<Element>) -> Set<Key> {
        guard let condition = condition as? IndexCondition<Element, Key>,
            case .keys(let keys) = condition.keys
        else { preconditionFailure("A route must have a condition on its index.") }
        return keys
    }

    func forEachQuery(
        of old: Element?,
        _ new: Element?,
        _ body: (any ElementQuery<Element>) -> Void
    ) {
        var keys: [Key] = []
        // The old and the new value often have the same keys. Only a short list is searched for
        // them, since a duplicate is harmless: `numbers` contains the queries that were called.
        let append = { (key: Key) in
            if keys.count >= LinearSearch.maximumCount || !keys.contains(key) { keys.append(key) }
        }
        if let old { index.forEachKey(old, append) }
        if let new { index.forEachKey(new, append) }
        // A query for several of the keys is called once.
        var numbers: Set<UInt64> = []
        for key in keys {
            queries[key]?.forEach { query in
                if keys.count == 1 || numbers.insert(query.number).inserted { body(query) }
            }
        }
    }
}
