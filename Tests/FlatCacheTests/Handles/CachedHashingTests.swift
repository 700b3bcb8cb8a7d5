import Testing

@testable import FlatCache

struct CachedHashingTests {
    /// An identifier that counts how often it is hashed.
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
        // The value has an identifier of its own, whose hashings don't count here.
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
