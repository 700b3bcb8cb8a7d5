import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct RecentStampsTests {
    private let limit = RecentStamps<Int, String>.limit
    private var stamps = RecentStamps<Int, String>()

    @Test mutating func latestStampOfAnEntityCounts() {
        #expect(stamps[1] == nil)
        stamps.insert("a", of: 1)
        stamps.insert("b", of: 1)
        #expect(stamps[1] == "b")
        // The entity's former stamp is among the earlier ones.
        for id in 2...limit { stamps.insert("c", of: id) }
        stamps.insert("d", of: 1)
        #expect(stamps[1] == "d")
        #expect(stamps[2] == "c")
    }

    @Test mutating func latestStampsAreKept() {
        for id in 0..<5 * limit {
            stamps.insert("\(id)", of: id)
            if id >= limit {
                #expect(stamps[id - limit + 1] == "\(id - limit + 1)")
                #expect(stamps[id] == "\(id)")
            }
            if id >= 2 * limit { #expect(stamps[id - 2 * limit] == nil) }
        }
    }

    /// Insertions of the same entities again don't displace other ones.
    @Test mutating func repetitionsDropNothing() {
        for id in 0..<limit { stamps.insert("a", of: id) }
        for number in 0..<6 * limit { stamps.insert("b", of: number % 3) }
        #expect(stamps[limit - 1] == "a")
        #expect(stamps[3] == "a")
        #expect(stamps[2] == "b")
    }
}
