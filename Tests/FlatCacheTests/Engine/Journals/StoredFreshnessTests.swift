import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct StoredFreshnessTests {
    @Test func agesAreKept() {
        var freshness = StoredFreshness(age: .seconds(90), staleFor: .zero)
        #expect(freshness.age == .seconds(90))
        #expect(freshness.staleFor == .zero)
        freshness.age = .milliseconds(-5)
        freshness.staleFor = nil
        #expect(freshness == StoredFreshness(age: .milliseconds(-5)))
        #expect(StoredFreshness().age == nil)
    }

    @Test(arguments: [Int64.max, .min, .max / 1_000_000_000, .min / 1_000_000_000])
    func longAgesAreClamped(seconds: Int64) throws {
        let age = try #require(StoredFreshness(age: .seconds(seconds)).age)
        #expect(abs(age.components.seconds) >= 9_223_372_035)
        #expect((age < .zero) == (seconds < 0))
    }
}
