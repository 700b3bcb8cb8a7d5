protocol AnyElementQueries: AnyObject {
    func collect(_ commit: Commit, in derivation: QueryDerivation)
}

/// The live queries whose rows are entities of one type, guarded by the writers' lock.
final class ElementQueries<Element: Identifiable & Sendable>: AnyElementQueries
where Element.ID: Sendable {
    /// The queries that any change of an entity may concern, as `ElementQueryReference`.
    ///
    /// The list has the element type `AnyObject`, because with a generic type each commit would
    /// look up the metadata of that type.
    private var queries = RegistrationList<AnyObject>()
    /// The queries with a condition on an index, by the index.
    ///
    /// For example, if books are indexed by year, a change of a book from 1968 concerns only the
    /// queries for 1968.
    private var routes: [CacheIndexIdentity: any QueryRoutes<Element>] = [:]

    /// The number of consecutive in-place writes that may have changed the result of a query.
    private var concernedCount = 0

    var isEmpty: Bool { queries.isEmpty && routes.isEmpty }

    func insert(_ query: some ElementQuery<Element>) {
        guard let condition = query.routing, let route = condition.route else {
            return queries.insert(ElementQueryReference(query), for: query.number)
        }
        let routes = routes[route] ?? condition.makeRoutes()
        routes.insert(query, for: condition)
        self.routes[route] = routes
    }

    func remove(_ query: some ElementQuery<Element>) {
        guard let condition = query.routing, let route = condition.route else {
            return queries.remove(query.number)
        }
        routes[route]?.remove(query, for: condition)
        if routes[route]?.isEmpty ?? false { routes[route] = nil }
    }

    func collect(_ commit: Commit, in derivation: QueryDerivation) {
        let writer = commit.core.writer
        guard let table = commit.core.tables.existingTable(of: Element.self) else { return }
        writer.runUserCode("a closure of a query", of: Element.self) {
            table.forEachPart(ofChangesAt: commit.version, in: writer) { changes in
                forEachUnrouted { $0.collect(changes, in: derivation) }
                if routes.isEmpty { return }
                changes.forEachValue { index, _, old, new in
                    for routes in routes.values {
                        routes.forEachQuery(of: old, new) {
                            $0.collect(changes[index], in: derivation)
                        }
                    }
                }
            }
        }
    }

    /// Returns whether an in-place write may change a result.
    ///
    /// The check takes as long as a derivation. If the last eight writes have all concerned a
    /// query, the method checks only every eighth write and returns `true` for the others, so that
    /// a write to such a type doesn't derive its rows twice. A commit that changes no result is
    /// slower than an in-place write, but correct.
    func areConcerned(by stored: Element, _ new: Element, _ reading: QueryReaders) -> Bool {
        concernedCount &+= 1
        if concernedCount > 8, !concernedCount.isMultiple(of: 8) { return true }
        var isConcerned = false
        let ask = { (query: any ElementQuery<Element>) in
            if !isConcerned { isConcerned = query.isConcerned(by: stored, new, reading) }
        }
        forEachUnrouted(ask)
        for routes in routes.values { routes.forEachQuery(of: stored, new, ask) }
        if !isConcerned { concernedCount = 0 }
        return isConcerned
    }

    @inline(__always)
    private func forEachUnrouted(_ body: (any ElementQuery<Element>) -> Void) {
        queries.forEach { reference in
            body(unsafeDowncast(reference, to: ElementQueryReference<Element>.self).query)
        }
    }
}

/// An object that holds a query, for a list of `AnyObject`.
///
/// Its class is known, so reading the query needs no dynamic cast.
private final class ElementQueryReference<Element: Identifiable & Sendable>
where Element.ID: Sendable {
    let query: any ElementQuery<Element>

    init(_ query: any ElementQuery<Element>) { self.query = query }
}

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
        // them, since hashing more keys is faster than comparing each with each. A duplicate is
        // harmless: `numbers` contains the queries that were called.
        let append = { (key: Key) in
            if keys.count >= 8 || !keys.contains(key) { keys.append(key) }
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
