import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests each limit with each expiration rule, with a manual clock.
struct LimitCombinationsTests {
    enum Limit: CaseIterable {
        case unlimited, count, cost

        var cacheLimit: CacheLimit<Note> {
            switch self {
            case .unlimited: .unlimited
            case .count: .count(4)
            case .cost: .cost(4, of: { _ in 1 })
            }
        }
    }

    enum Rule: CaseIterable {
        case never, afterWrite, afterAccess, at

        var expiration: CacheExpiration<Note> {
            switch self {
            case .never: .never
            case .afterWrite: .afterWrite(.seconds(16))
            case .afterAccess: .afterAccess(.seconds(16))
            case .at:
                .at { note in
                    Int(note.text).map { ManualClock.Instant(offset: .seconds($0)) }
                }
            }
        }
    }

    private let clock = SleeplessClock()

    private func cache(_ limit: Limit, _ rule: Rule) -> Cache {
        var configuration = CacheConfiguration(clock: clock)
        configuration.limit(Note.self, limit.cacheLimit, expires: rule.expiration)
        return Cache(configuration: configuration)
    }

    /// Advances the clock second by second, and expires values after each.
    private func pass(_ seconds: Int, _ cache: Cache) {
        for _ in 0..<seconds {
            clock.advance(by: .seconds(1))
            cache.expireValues()
        }
        cache.core.checkInvariants()
    }

    @Test(arguments: Limit.allCases, Rule.allCases)
    func valuesOutOfUseAreRemoved(limit: Limit, rule: Rule) {
        let cache = cache(limit, rule)
        let reasons = Recorder<EntityChange<Note>.Kind>()
        let token = cache.observeAll(Note.self) { commit in
            for change in commit.removed { reasons.append(change.kind) }
        }
        for id in 0..<10 { cache.set(Note(id: id, text: "16")) }
        let kept = limit == .unlimited ? 10 : 4
        #expect(cache.count(of: Note.self) == kept)
        pass(15, cache)
        #expect(cache.count(of: Note.self) == kept)
        // Access times are recorded in intervals, so values may expire that much later.
        pass(3, cache)
        #expect(cache.count(of: Note.self) == (rule == .never ? kept : 0))
        let evicted = Array(repeating: EntityChange<Note>.Kind.removed(.evicted), count: 10 - kept)
        let expired = Array(
            repeating: EntityChange<Note>.Kind.removed(.expired),
            count: rule == .never ? 0 : kept
        )
        #expect(reasons.all == evicted + expired)
        token.dispose()
    }

    @Test(arguments: Limit.allCases, Rule.allCases)
    func valuesInUseStayAndBecomeStale(limit: Limit, rule: Rule) {
        let cache = cache(limit, rule)
        let tokens = [cache.cached(Note.self, id: 0).observe { _ in }, cache.pin(Note.self, id: 1)]
        for id in 0..<10 { cache.set(Note(id: id, text: "16")) }
        pass(40, cache)
        #expect(Set(cache.ids(of: Note.self)).isSuperset(of: [0, 1]))
        for id in 0...1 {
            let isStale = rule == .afterWrite || rule == .at
            #expect(cache.freshness(of: Note.self, id: id).isStale == isStale)
            #expect(cache.get(Note.self, id: id) != nil)
        }
        // A write makes the value fresh, with any expiration.
        cache.set(Note(id: 0, text: "100"))
        #expect(!cache.freshness(of: Note.self, id: 0).isStale)
        #expect(cache.contains(Note.self, id: 0))
        for token in tokens { token.dispose() }
        pass(100, cache)
        #expect(cache.contains(Note.self, id: 0) == (rule == .never))
        cache.trim(to: .fraction(0))
        #expect(cache.count(of: Note.self) == 0)
        cache.core.checkInvariants()
    }

    @Test(arguments: Limit.allCases, Rule.allCases)
    func readAndWrittenValuesStayForTheTimeOfTheirRule(limit: Limit, rule: Rule) {
        let cache = cache(limit, rule)
        cache.set(contentsOf: [Note(id: 0, text: "16"), Note(id: 1, text: "16")])
        for _ in 0..<4 {
            pass(8, cache)
            _ = cache.get(Note.self, id: 0)
            if cache.contains(Note.self, id: 1) { cache.set(Note(id: 1, text: "1000")) }
        }
        // One value was only read, the other only written.
        #expect(cache.contains(Note.self, id: 0) == (rule == .never || rule == .afterAccess))
        #expect(cache.contains(Note.self, id: 1))
    }
}
