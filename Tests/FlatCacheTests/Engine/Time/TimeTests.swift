import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct TimeTests {
    @Test func timesAreOrdered() {
        let times: [Time] = [.min, -1, .start, 1, .max]
        #expect(times.shuffled().sorted() == times)
        #expect(Time.start >= .start)
        #expect(!(Time.start >= 1))
        #expect(Time.start == 0 && Time.start != 1)
    }

    @Test func spanLeadsFromOneTimeToTheOther() {
        let times: [Time] = [-7, 0, 3, 12]
        for start in times {
            for end in times { #expect(start.advanced(by: end.nanoseconds(since: start)) == end) }
        }
    }

    @Test func timesAndSpansAreClamped() {
        #expect(Time.max.advanced(by: 1) == .max)
        #expect(Time.min.advanced(by: -1) == .min)
        #expect(Time.max.nanoseconds(since: -1) == .max)
        #expect(Time.min.nanoseconds(since: 1) == .min)
        #expect(Time.max.nanoseconds(since: .max) == 0)
    }
}
