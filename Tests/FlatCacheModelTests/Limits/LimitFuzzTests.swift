import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Performs random operations of all kinds, such as nested batches that throw, nested snapshots,
/// limits, expirations and pins.
///
/// The invariants hold after each operation, and the contents of a snapshot don't change.
///
/// `RandomTestSettings` describes how to repeat a failure and how to run for longer.
struct LimitFuzzTests {
    private struct Failure: Error {}

    private struct Owner: Identifiable, OwnsCachedValues, Sendable, Equatable {
        let id: Int
        var owned: [Int]
        var ownedCacheKeys: Set<CacheKey> { Set(owned.map { CacheKey(Station.self, id: $0) }) }
    }

    private final class Fuzz {
        var random: SplitMix64
        let clock = SleeplessClock()
        let cache: Cache
        var tokens: [Disposable] = []
        var problems: [String] = []

        init(seed: Seed) {
            random = SplitMix64(seed: seed)
            var configuration = CacheConfiguration(clock: clock)
            let start = clock.now
            let rules: [CacheExpiration<Station>] = [
                .never, .afterWrite(.seconds(5)), .afterAccess(.seconds(5)),
                .at { $0.revision % 5 == 0 ? nil : start.advanced(by: .seconds($0.revision)) },
            ]
            let limits: [CacheLimit<Station>] = [
                .unlimited, .count(random.below(600)),
                .cost(random.below(900), of: { $0.revision % 4 }),
            ]
            configuration.limit(
                Station.self,
                limits[random.below(3)],
                expires: rules[random.below(4)]
            )
            if random.oneIn(2) {
                configuration.limit(
                    Owner.self,
                    .count(random.below(10)),
                    expires: .afterWrite(.seconds(7))
                )
            }
            cache = Cache(configuration: configuration)
        }
        func id() -> Int { random.oneIn(4) ? random.below(1_000) : random.below(30) }
        func station() -> Station {
            Station(
                id: id(),
                revision: random.below(60),
                next: (0..<random.below(3)).map { _ in id() }
            )
        }
        func write() {
            switch random.below(9) {
            case 0:
                cache.set(
                    contentsOf: (0..<random.below(random.oneIn(4) ? 900 : 20)).map { _ in station()
                    }
                )
            case 1: cache.remove(Station.self, id: id())
            case 2: cache.set(Owner(id: random.below(20), owned: (0..<3).map { _ in id() }))
            case 3: cache.remove(Owner.self, id: random.below(20))
            case 4: if random.oneIn(3) { cache.pruneUnobservedValues() }
            case 5: cache.update(Station.self, id: id()) { $0.revision += 1 }
            case 6: if random.oneIn(6) { cache.removeAll(Station.self) }
            case 7: cache.list("l", of: Station.self).ids = (0..<random.below(4)).map { _ in id() }
            default: cache.set(station())
            }
        }
        func batch(_ depth: Int) {
            try? cache.performBatchUpdates { _ in
                for _ in 0..<random.below(4) {
                    if depth < 3, random.oneIn(3) { batch(depth + 1) } else { write() }
                }
                if random.oneIn(3) { throw Failure() }
            }
        }
        func step(_ depth: Int) {
            switch random.below(12) {
            case 0..<4: write()
            case 4, 5: batch(0)
            case 6: tokens.append(cache.cached(Station.self, id: id()).observe { _ in })
            case 7: tokens.append(cache.pin(Station.self, id: id()))
            case 8: if !tokens.isEmpty { tokens.remove(at: random.below(tokens.count)).dispose() }
            case 9:
                clock.advance(by: .seconds(random.below(4)))
                cache.expireValues()
            case 10: cache.trim(to: .fraction(Double(random.below(10)) / 10))
            default:
                if depth < 3 {
                    cache.withSnapshot { snapshot in
                        let before = Dictionary(
                            uniqueKeysWithValues: snapshot.values(of: Station.self).map {
                                ($0.id, $0)
                            }
                        )
                        let fresh = (0..<30).map { snapshot.get(Station.self, id: $0) }
                        _ = fresh
                        for _ in 0..<random.below(8) { step(depth + 1) }
                        let after = Dictionary(
                            uniqueKeysWithValues: snapshot.values(of: Station.self).map {
                                ($0.id, $0)
                            }
                        )
                        let count = snapshot.count(of: Station.self)
                        if before != after || count != before.count {
                            problems.append("\(count) values: \(after), not \(before)")
                        }
                    }
                }
            }
            cache.core.doDeferredWorkIfIdle()
            cache.core.checkInvariants()
            for token in 0..<5 { _ = cache.get(Station.self, id: token) }
        }
    }

    @Test func invariantsHoldAndSnapshotsStayTheSame() {
        let settings = RandomTestSettings(seeds: 50, steps: 150)
        settings.forEachSeed { seed in
            let fuzz = Fuzz(seed: seed)
            for _ in 0..<settings.steps { fuzz.step(0) }
            return FailureReport(seed: seed, problems: fuzz.problems)
        }
    }
}
