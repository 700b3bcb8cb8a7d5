/// The live results whose rows are entities of one type.
protocol AnyElementQueries: AnyObject {
    /// Records a commit's changes to the entities.
    func collect(_ commit: Commit, in derivation: QueryDerivation)
}

/// The live results whose rows are entities of one type, guarded by the writers' lock.
final class ElementQueries<Element: Identifiable & Sendable>: AnyElementQueries
where Element.ID: Sendable {
    /// The results that each change of an entity may concern.
    private var results = RegistrationList<any ElementResult<Element>>()
    /// The results that a change concerns only if its values have a key.
    private var routes: [CacheIndexIdentity: any QueryRoutes<Element>] = [:]

    /// The number of exchanges in a row that have concerned a result, or were assumed to.
    private var concernedCount = 0

    var isEmpty: Bool { results.isEmpty && routes.isEmpty }

    func insert(_ result: some ElementResult<Element>) {
        guard let narrowing = result.routing, let route = narrowing.route else {
            return results.insert(result, for: result.number)
        }
        let routes = routes[route] ?? narrowing.makeRoutes()
        routes.insert(result, for: narrowing)
        self.routes[route] = routes
    }

    func remove(_ result: some ElementResult<Element>) {
        guard let narrowing = result.routing, let route = narrowing.route else {
            return results.remove(result.number)
        }
        routes[route]?.remove(result, for: narrowing)
        if routes[route]?.isEmpty ?? false { routes[route] = nil }
    }

    func collect(_ commit: Commit, in derivation: QueryDerivation) {
        commit.core.writer.runUserCode("a closure of a query", of: Element.self) {
            commit.forEachPart(ofChangesTo: Element.self) { changes in
                results.forEach { $0.collect(changes, in: derivation) }
                for routes in routes.values {
                    for change in changes where change.kind != .becameStale {
                        routes.forEachResult(of: change.old, change.new) {
                            $0.collect([change], in: derivation)
                        }
                    }
                }
            }
        }
    }

    /// Returns whether the exchange of a value may change a result.
    ///
    /// The check takes as long as a derivation. If the last eight exchanges have all concerned a
    /// result, the method checks only every eighth exchange and returns `true` for the others, so
    /// that a write to such a type doesn't derive its rows twice. A commit that changes no result is
    /// slower than an exchange, but correct.
    func areConcerned(by stored: Element, _ new: Element, _ reading: QueryReaders) -> Bool {
        concernedCount &+= 1
        if concernedCount > 8, !concernedCount.isMultiple(of: 8) { return true }
        var isConcerned = false
        let ask = { (result: any ElementResult<Element>) in
            if !isConcerned { isConcerned = result.isConcerned(by: stored, new, reading) }
        }
        results.forEach(ask)
        for routes in routes.values { routes.forEachResult(of: stored, new, ask) }
        if !isConcerned { concernedCount = 0 }
        return isConcerned
    }
}
