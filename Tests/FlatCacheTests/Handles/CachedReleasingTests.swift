import FlatCache
import Testing

@testable import FlatCacheTestSupport

struct CachedReleasingTests {
    /// The owner of a handle, which it releases when identifiers are compared.
    ///
    /// Guard: one test's thread.
    private final class Owner: @unchecked Sendable {
        let cache = Cache()
        var handle: Cached<Item>?
        var releasesAtComparison = false

        func compare() {
            guard releasesAtComparison else { return }
            handle = nil
        }
    }

    private struct ReleasingID: Hashable, Sendable {
        let number: Int
        let owner: Owner

        static func == (left: ReleasingID, right: ReleasingID) -> Bool {
            left.owner.compare()
            return left.number == right.number
        }

        func hash(into hasher: inout Hasher) { hasher.combine(number) }
    }

    private struct Item: Identifiable, Sendable {
        let id: ReleasingID
        var text: String
    }

    // In optimized code, the caller of a handle's getter doesn't retain the handle.
    @Test func aHandleThatAnIdentifierReleasesReadsItsValue() throws {
        let owner = Owner()
        let id = ReleasingID(number: 1, owner: owner)
        owner.cache.set(Item(id: id, text: "long enough for memory of its own"))
        owner.handle = owner.cache.cached(Item.self, id: id)
        owner.releasesAtComparison = true
        #expect(owner.handle?.value?.text == "long enough for memory of its own")
        #expect(owner.handle == nil)
    }
}
