import Testing

@testable import FlatCache

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
        let heard = Recorder<Station.ID>()
        var model: [Station.ID: Station] = [:]
        var observations: [(id: Station.ID, token: Disposable)] = []
        for step in 1...300 {
            let id = Int.random(in: 0..<count, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                observations.append((id, cache.record(id, in: heard)))
            case 1 where !observations.isEmpty:
                observations.remove(at: Int.random(in: observations.indices, using: &random))
                    .token.dispose()
            case 2...5 where model[id] != nil:
                // This write keeps all relationships.
                cache.set(Station(id: id, revision: step, next: model[id]?.next ?? []))
                model[id]?.revision = step
                let expected = observations.map(\.id)
                    .filter { reach(of: $0, in: model).contains(id) }
                #expect(heard.all == expected, "\(seed), step \(step)")
                heard.removeAll()
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
                #expect(heard.all == expected, "\(seed), step \(step)")
                heard.removeAll()
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
}
