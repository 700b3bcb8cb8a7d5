import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct RecentStampsTests {
    private var stamps = RecentStamps<Int, String>()

    @Test mutating func latestStampOfAnEntityCounts() {
        #expect(stamps[1] == nil)
        stamps.insert("a", of: 1)
        stamps.insert("b", of: 1)
        #expect(stamps[1] == "b")
        #expect(stamps.count == 1)
    }

    @Test mutating func stampThatWasInsertedFirstIsDropped() {
        let limit = RecentStamps<Int, String>.limit
        for id in 0..<limit { stamps.insert("a", of: id) }
        #expect(stamps[0] == "a")
        // The entity is now the one that was removed last.
        stamps.insert("b", of: 0)
        stamps.insert("c", of: limit)
        #expect(stamps.count == limit)
        #expect(stamps[0] == "b")
        #expect(stamps[1] == nil)
        #expect(stamps[2] == "a")
        #expect(stamps[limit] == "c")
    }

    @Test mutating func limitHoldsForManyInsertions() {
        let limit = RecentStamps<Int, String>.limit
        for id in 0..<5 * limit { stamps.insert("\(id)", of: id) }
        #expect(stamps.count == limit)
        #expect(stamps[4 * limit - 1] == nil)
        #expect(stamps[4 * limit] == "\(4 * limit)")
        #expect(stamps[5 * limit - 1] == "\(5 * limit - 1)")
    }

    /// Insertions of the same entities again don't displace other ones.
    @Test mutating func repetitionsDropNothing() {
        let limit = RecentStamps<Int, String>.limit
        for id in 0..<limit { stamps.insert("a", of: id) }
        for number in 0..<6 * limit { stamps.insert("b", of: number % 3) }
        #expect(stamps.count == limit)
        #expect(stamps[limit - 1] == "a")
        stamps.insert("c", of: limit)
        #expect(stamps[3] == nil)
        #expect(stamps[4] == "a")
        #expect(stamps[2] == "b")
    }
}
