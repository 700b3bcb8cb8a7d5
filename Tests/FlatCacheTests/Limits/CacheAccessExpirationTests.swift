import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests values that expire a time after their last use: not earlier, and hardly later.
struct CacheAccessExpirationTests {
    let clock = SleeplessClock()
    let cache: Cache
    private let lifetime = 16

    init() {
        var configuration = CacheConfiguration(clock: clock)
        configuration.limit(Note.self, .unlimited, expires: .afterAccess(.seconds(lifetime)))
        cache = Cache(configuration: configuration)
    }

    private func pass(_ duration: Duration) {
        clock.advance(by: duration)
        cache.expireValues()
    }

    /// Advances the clock until the value is removed, and returns the number of quarters of a
    /// second.
    private func quartersUntilRemoval() -> Int {
        var quarters = 0
        while cache.count(of: Note.self) > 0, quarters < 400 {
            pass(.milliseconds(250))
            quarters += 1
        }
        return quarters
    }

    /// The lifetime, plus up to an eighth of it and one step of the clock.
    private var expectedQuarters: ClosedRange<Int> { 4 * lifetime...4 * lifetime * 9 / 8 + 1 }

    @Test("The lifetime of a pinned entity begins when the pin ends")
    func pinning() {
        for seconds in 0...200 {
            cache.set(Note(id: 1, text: ""))
            let pin = cache.pin(Note.self, id: 1)
            for _ in 0..<seconds { pass(.seconds(1)) }
            pin.dispose()
            let quarters = quartersUntilRemoval()
            #expect(expectedQuarters.contains(quarters), "after \(seconds) s")
        }
    }

    @Test("The lifetime of an observed entity begins when the observation ends")
    func observing() {
        for seconds in stride(from: 0, through: 200, by: 7) {
            cache.set(Note(id: 1, text: ""))
            let token = cache.cached(Note.self, id: 1).observe { _ in }
            for _ in 0..<seconds { pass(.seconds(1)) }
            token.dispose()
            let quarters = quartersUntilRemoval()
            #expect(expectedQuarters.contains(quarters), "after \(seconds) s")
        }
    }

    @Test(
        "A lifetime begins with the last use",
        arguments: RandomTestSettings(seeds: 40).seeds
    )
    func randomUses(seed: Seed) {
        var random = SplitMix64(seed: seed)
        cache.set(Note(id: 1, text: ""))
        var pin: Disposable?
        for _ in 0..<60 {
            switch random.below(6) {
            case 0: _ = cache.get(Note.self, id: 1)
            case 1: pin = cache.pin(Note.self, id: 1)
            case 2: cache.set(Note(id: 1, text: "\(random.below(3))"))
            default: break
            }
            if pin == nil { _ = cache.get(Note.self, id: 1) }
            for _ in 0..<random.below(60) { pass(.milliseconds(250)) }
            #expect(cache.count(of: Note.self) == 1)
            if random.oneIn(3) {
                pin?.dispose()
                pin = nil
            }
        }
        _ = cache.get(Note.self, id: 1)
        pin?.dispose()
        let quarters = quartersUntilRemoval()
        #expect(expectedQuarters.contains(quarters), "\(seed)")
    }
}
