import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Compares the watch graph with a naive search while relationships change at random.
struct WatchGraphTests {
    /// Returns the stations that a station reaches, including itself.
    private func reach(of id: Station.ID, in stations: [Station.ID: Station]) -> Set<Station.ID> {
        var reached: Set = [id]
        var stack = [id]
        while let id = stack.popLast() {
            for next in stations[id]?.next ?? [] where reached.insert(next).inserted {
                stack.append(next)
            }
        }
        return reached
    }

    @Test(arguments: [14, 100], RandomTestSettings(seeds: 4).seeds)
    func exactlyTheObserversThatReachAChangeAreCalled(count: Int, seed: Seed) {
        var random = SplitMix64(seed: seed)
        let cache = Cache()
        let received = Recorder<Station.ID>()
        var model: [Station.ID: Station] = [:]
        var observations: [(id: Station.ID, token: Disposable)] = []
        for step in 1...300 {
            let id = Int.random(in: 0..<count, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                observations.append((id, cache.record(id, in: received)))
            case 1 where !observations.isEmpty:
                observations.remove(at: Int.random(in: observations.indices, using: &random))
                    .token.dispose()
            case 2...5 where model[id] != nil:
                // This write keeps all relationships.
                cache.set(Station(id: id, revision: step, next: model[id]?.next ?? []))
                model[id]?.revision = step
                let expected = observations.map(\.id)
                    .filter { reach(of: $0, in: model).contains(id) }
                #expect(received.all == expected, "\(seed), step \(step)")
                received.removeAll()
            default:
                let changed = Set(
                    (0..<3).map { _ in Int.random(in: 0..<count, using: &random) }
                ).filter { model[$0] != nil || step % 9 != 0 }
                cache.performBatchUpdates { batch in
                    for id in changed {
                        if step % 9 == 0 {
                            batch.remove(Station.self, id: id)
                            model[id] = nil
                        } else {
                            let next = (0..<Int.random(in: 0...3, using: &random)).map { _ in
                                Int.random(in: 0..<count, using: &random)
                            }
                            model[id] = Station(id: id, revision: step, next: next)
                            batch.set(Station(id: id, revision: step, next: next))
                        }
                    }
                }
                let expected = observations.map(\.id)
                    .filter { !reach(of: $0, in: model).isDisjoint(with: changed) }
                #expect(received.all == expected, "\(seed), step \(step)")
                received.removeAll()
            }
            cache.core.checkInvariants()
            let watched = observations.reduce(into: Set<Station.ID>()) {
                $0.formUnion(reach(of: $1.id, in: model))
            }
            #expect(cache.core.watchedCount == watched.count, "\(seed), step \(step)")
        }
        for observation in observations { observation.token.dispose() }
        #expect(cache.core.watchedCount == 0)
    }

    /// Returns the stations that a walk from a station would visit first, if all are watched.
    private func heads(of ids: some Sequence<Station.ID>, in cache: Cache) -> [Station.ID?] {
        cache.core.withWriterLock("heads") { writer in
            ids.map { id in
                let node = writer.graph.node(of: CacheKey(Station.self, id: id))
                let head = node.map { writer.graph.head(of: $0) }
                return head.flatMap { writer.graph[$0.node].key.id(as: Station.self) }
            }
        }
    }

    @Test("A walk skips all links of a chain up to an observed one")
    func headsInAChain() {
        let cache = Cache()
        let received = Recorder<Station.ID>()
        cache.set(Station(id: 0, next: [1]))
        let first = cache.record(0, in: received)
        for id in 1..<100 { cache.set(Station(id: id, next: [id + 1])) }
        #expect(heads(of: [0, 1, 50, 100], in: cache) == [0, 0, 0, 0])
        let second = cache.record(50, in: received)
        #expect(heads(of: [0, 49, 50, 100], in: cache) == [0, 0, 50, 50])
        second.dispose()
        #expect(heads(of: [0, 49, 50, 100], in: cache) == [0, 0, 0, 0])
        first.dispose()
    }

    @Test func walkStopsAtANodeWithSeveralDependents() {
        let cache = Cache()
        let received = Recorder<Station.ID>()
        let next: [Station.ID: [Station.ID]] = [0: [1, 2], 1: [3], 2: [3], 3: [4], 4: []]
        cache.set(contentsOf: next.map { Station(id: $0, next: $1) })
        let observation = cache.record(0, in: received)
        #expect(heads(of: 0...4, in: cache) == [0, 0, 0, 3, 3])
        cache.set(Station(id: 2))
        #expect(heads(of: 0...4, in: cache) == [0, 0, 0, 0, 0])
        cache.set(Station(id: 2, next: [4]))
        #expect(heads(of: 0...4, in: cache) == [0, 0, 0, 0, 4])
        observation.dispose()
    }
}
