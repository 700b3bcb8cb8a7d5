import FlatCache
import Testing

@testable import Bookshop

/// A type with the name and the identifier type of a type in the module `Bookshop`.
private struct Publisher: Identifiable, Sendable {
    let id: String
    var floor: Int
}

struct SameNameTests {
    @Test func typesOfOneNameInTwoModulesHaveKeysOfTheirOwn() {
        let cache = Cache()
        let own = CacheKey(Publisher.self, id: "ace")
        let other = CacheKey(Bookshop.Publisher.self, id: "ace")
        #expect(own != other)
        #expect(own.description == other.description)
        #expect(own.debugDescription != other.debugDescription)
        cache.set(Publisher(id: "ace", floor: 3))
        #expect(cache[Publisher.self, "ace"]?.floor == 3)
        #expect(cache[Bookshop.Publisher.self, "ace"] == nil)
    }
}
