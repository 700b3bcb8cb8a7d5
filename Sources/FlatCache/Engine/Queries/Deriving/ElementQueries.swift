/// The live queries whose rows are entities of one type.
protocol AnyElementQueries: AnyObject {
    /// Records a commit's changes to the entities.
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

    /// The number of consecutive exchanges in place that may have changed the result of a query.
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

    /// Returns whether the exchange of a value may change a result.
    ///
    /// The check takes as long as a derivation. If the last eight exchanges have all concerned a
    /// query, the method checks only every eighth exchange and returns `true` for the others, so
    /// that a write to such a type doesn't derive its rows twice. A commit that changes no result
    /// is slower than an exchange, but correct.
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
