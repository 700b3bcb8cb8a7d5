import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct CachedHashingTests {
    /// An identifier that records each call of `hash(into:)`.
    private struct CountedID: Hashable, Sendable {
        let number: Int
        let hashings = Recorder<Int>()

        static func == (left: CountedID, right: CountedID) -> Bool { left.number == right.number }

        func hash(into hasher: inout Hasher) {
            hashings.append(number)
            hasher.combine(number)
        }
    }

    private struct Item: Identifiable, Sendable {
        let id: CountedID
        var text: String
    }

    @Test func readingThroughAHandleNeverHashes() {
        let cache = Cache()
        let id = CountedID(number: 1)
        let handle = cache.cached(Item.self, id: id)
        let hashings = id.hashings.count
        #expect(handle.value == nil)
        #expect(id.hashings.count == hashings)
        // The value has its own identifier, whose hashing isn't counted here.
        cache.set(Item(id: CountedID(number: 1), text: "A"))
        for _ in 0..<3 { #expect(handle.value?.text == "A") }
        #expect(id.hashings.count == hashings)
        cache.remove(Item.self, id: CountedID(number: 1))
        #expect(handle.value == nil)
        cache.set(Item(id: CountedID(number: 1), text: "B"))
        #expect(handle.value?.text == "B")
        #expect(id.hashings.count == hashings)
    }
}
