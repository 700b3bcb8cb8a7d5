import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct ReadTicksTests {
    @Test func onlyExpiryByAccessHasTicks() {
        for rule in [Lifetime.never, .afterWrite(160), .atOwnTime] {
            var ticks = ReadTicks(of: rule, at: 0)
            #expect(ticks.nextTime == .max)
            #expect(ticks.begin(at: .max) == nil)
        }
    }

    @Test func tickLastsASixteenthOfTheLifetimeAndUntilTheNextBegins() {
        var ticks = ReadTicks(of: .afterAccess(160), at: 5)
        #expect(ticks.nextTime == 15)
        #expect(ticks.begin(at: 14) == nil)
        #expect(ticks.begin(at: 40) == 1)
        #expect(ticks.nextTime == 50)
        #expect(ticks.begin(at: 49) == nil)
        #expect(ticks.begin(at: 50) == 2)
    }

    @Test func shortestTickIsANanosecond() {
        var ticks = ReadTicks(of: .afterAccess(1), at: 0)
        #expect(ticks.begin(at: 0) == nil)
        #expect(ticks.begin(at: 1) == 1)
    }

    @Test func readHappenedBeforeTheEndOfItsTick() {
        var ticks = ReadTicks(of: .afterAccess(160), at: 0)
        var ends: [Time] = []
        var now: Time = 0
        var random = SplitMix64(seed: 1)
        for number in 0..<200 {
            #expect(ticks.latestTime(ofMarked: number % 64, at: now) == now)
            for (past, end) in ends.enumerated().suffix(63) {
                #expect(ticks.latestTime(ofMarked: past % 64, at: now) == end)
            }
            now = now.advanced(by: Int64(random.number(in: 10...30)))
            #expect(ticks.begin(at: now) == number + 1)
            ends.append(now)
        }
    }
}
