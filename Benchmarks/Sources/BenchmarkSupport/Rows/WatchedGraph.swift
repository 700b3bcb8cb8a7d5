import FlatCache

/// A two-way graph in a cache, with one observed member.
final class WatchedGraph {
    private let cache = Cache()
    private let tally = Tally()
    private let token: Disposable
    private let graph: TwoWayGraph
    private let changes: [TwoWayGraph.Member]

    init(_ graph: TwoWayGraph, updates: Int) {
        self.graph = graph
        cache.performBatchUpdates { batch in
            batch.set(contentsOf: graph.writers)
            batch.set(contentsOf: graph.works)
        }
        let tally = tally
        token = cache.cached(Work.self, id: 0).observe { _ in tally.add() }
        var random = SeededGenerator(seed: 2)
        changes = graph.changedMembers(count: updates, random: &random)
    }

    /// Returns the nanoseconds per update of a member chosen at random.
    func measure() -> Double {
        let callsBefore = tally.count
        defer { tally.check(callsBefore + changes.count) }
        return Stopwatch.nanoseconds(per: changes.count) {
            for change in changes {
                switch change {
                case .writer(let writer): cache.set(writer)
                case .work(let work): cache.set(work)
                }
            }
        }
    }

    /// Returns the nanoseconds per commit in which a book leaves the graph or joins it again.
    func measureDepartures(_ count: Int) -> Double {
        let callsBefore = tally.count
        defer { tally.check(callsBefore + 2 * count) }
        let departures = (0..<count).map { graph.departure(of: $0 * 7_919 % graph.works.count) }
        return Stopwatch.nanoseconds(per: 2 * count) {
            for (before, after) in departures {
                for (work, writers) in [after, before] {
                    cache.performBatchUpdates { batch in
                        batch.set(work)
                        batch.set(contentsOf: writers)
                    }
                }
            }
        }
    }
}

/// The same graph as a table of dependents, which each update walks as a whole.
final class PlainWalk {
    private var dependents: [CacheKey: [CacheKey]] = [:]
    private var random = SeededGenerator(seed: 3)
    private let keys: [CacheKey]

    init(_ graph: TwoWayGraph) {
        for writer in graph.writers {
            for key in writer.relatedCacheKeys {
                dependents[key, default: []].append(CacheKey(writer))
            }
        }
        for work in graph.works {
            for key in work.relatedCacheKeys { dependents[key, default: []].append(CacheKey(work)) }
        }
        keys = Array(dependents.keys)
    }

    /// Returns the nanoseconds per walk from a member chosen at random to all members that it
    /// reaches.
    func measure(walks: Int) -> Double {
        Stopwatch.nanoseconds(per: walks) {
            for _ in 0..<walks {
                guard let start = keys.randomElement(using: &random) else { return }
                precondition(walk(from: start) == keys.count, "The graph is not connected.")
            }
        }
    }

    private func walk(from start: CacheKey) -> Int {
        var seen: Set<CacheKey> = [start]
        var waiting = [start]
        while let key = waiting.popLast() {
            for dependent in dependents[key] ?? [] where seen.insert(dependent).inserted {
                waiting.append(dependent)
            }
        }
        return seen.count
    }
}
