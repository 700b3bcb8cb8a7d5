@testable import FlatCache
@testable import FlatCacheTestSupport

/// A comparison that performs the same operations on a watch graph and on plain reachability.
final class GraphComparison: ModelComparison {
    private var graph = WatchGraph()
    private var links: [Int: Set<Int>] = [:]
    private var observers: [Int: Observer] = [:]
    private var registrations: UInt64 = 0

    init(shortWalkLimit: Int?, nearbyLimit: Int?) {
        if let shortWalkLimit { graph.shortWalkLimit = shortWalkLimit }
        if let nearbyLimit { graph.forest.nearbyLimit = nearbyLimit }
    }

    func difference(after operation: GraphOperation) -> String? {
        var difference: String?
        switch operation {
        case .commit(let writes): difference = commit(writes)
        case .observe(let number, let vertex, let following, let wantsCauses):
            dispose(number)
            observe(number, vertex, following, wantsCauses)
        case .dispose(let number): dispose(number)
        }
        let watched = observers.values.reduce(into: Set<Int>()) { $0.formUnion(reach(of: $1)) }
        if difference == nil, graph.count != watched.count {
            difference = "\(graph.count) are watched instead of \(watched.sorted())."
        }
        if difference == nil { graph.checkInvariants() }
        return difference
    }

    private func commit(_ writes: [(vertex: Int, links: Set<Int>?)]) -> String? {
        for (vertex, newLinks) in writes { if let newLinks { links[vertex] = newLinks } }
        let changed = Set(writes.map(\.vertex))
        let written = nodes(of: changed)
        for node in written where graph[node].isReached {
            graph.setRelatedKeys(relatedKeys(of: node), of: node)
        }
        complete()
        for observation in graph.boundedEntityObservers(reachingThrough: written) {
            graph.setReach(levels(of: observation), of: observation)
        }
        graph.dropUnreached()
        return differenceOfReached(changed)
    }

    private func differenceOfReached(_ changed: Set<Int>) -> String? {
        var actual: [UInt64: Set<Int>] = [:]
        for reached in graph.observed(reachedBy: nodes(of: changed)) {
            for observation in reached.observers {
                guard actual[observation.registration] == nil else {
                    return "Observation \(observation.registration) is found twice."
                }
                guard graph[reached.node].key == observation.key else {
                    return "Observation \(observation.registration) is found at another node."
                }
                let causes = observation.wantsCauses ? reached.causes : []
                actual[observation.registration] = Set(causes.map { vertex(of: $0) })
            }
        }
        var expected: [UInt64: Set<Int>] = [:]
        for observation in observers.values {
            let causes = reach(of: observation).intersection(changed)
            guard !causes.isEmpty else { continue }
            expected[observation.registration] = observation.wantsCauses ? causes : []
        }
        return actual == expected ? nil : "Found \(actual) instead of \(expected)."
    }

    private func observe(
        _ number: Int,
        _ vertex: Int,
        _ following: RelationshipDepth,
        _ wantsCauses: Bool
    ) {
        registrations += 1
        let entity = ObservedEntity(
            key: CacheKey(ModelPage.self, id: vertex),
            following: following,
            wantsCauses: wantsCauses
        )
        let observation = Observer(of: entity, registration: registrations) {
            (_: EntityChange<ModelPage>) in
        }
        observers[number] = observation
        graph.add(observation)
        if following != .allRelationships {
            graph.setReach(levels(of: observation), of: observation)
        }
        complete()
    }

    private func dispose(_ number: Int) {
        guard let observation = observers.removeValue(forKey: number) else { return }
        graph.remove(observation)
        graph.dropUnreached()
        _ = graph.takeMemoryIfEmpty()
    }

    /// Answers the graph's requests for relationships until it has no more.
    ///
    /// No vertex has an entry.
    private func complete() {
        while let step = graph.nextStep() {
            guard case .expand(let node) = step else { continue }
            graph.setRelatedKeys(relatedKeys(of: node), of: node)
        }
    }

    // MARK: Expected state

    private func vertex(of key: CacheKey) -> Int { key.identifier.typed(as: Int.self) ?? -1 }

    private func nodes(of vertices: Set<Int>) -> [WatchNodeID] {
        vertices.compactMap { graph.node(of: CacheKey(ModelPage.self, id: $0)) }
    }

    private func relatedKeys(of node: WatchNodeID) -> Set<CacheKey> {
        Set((links[vertex(of: graph[node].key)] ?? []).map { CacheKey(ModelPage.self, id: $0) })
    }

    private func reach(of observation: Observer) -> Set<Int> {
        Set(levels(of: observation).map { vertex(of: $0.key) })
    }

    private func levels(of observation: Observer) -> [(key: CacheKey, level: Int)] {
        var seen = [vertex(of: observation.key)]
        var found = [(key: observation.key, level: 0)]
        var next = 0
        while next < seen.count, found[next].level < observation.following.levelLimit {
            for other in links[seen[next]] ?? [] where !seen.contains(other) {
                seen.append(other)
                found.append((CacheKey(ModelPage.self, id: other), found[next].level + 1))
            }
            next += 1
        }
        return found
    }
}
