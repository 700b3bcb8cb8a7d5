// Swift 6.1 doesn't support isolated conformances.
#if compiler(>=6.2)
import FlatCache
import Synchronization
import Testing
import TestSupport

@testable import FlatCacheTestSupport

/// Tests that the cache never uses conformances isolated to the main actor, because it compares
/// values on the thread that writes.
struct IsolatedConformanceTests {
    /// A type that counts the calls of its `==`.
    struct Volume: Identifiable, Sendable {
        let id: Int
        var title: String

        static let comparisons = Atomic(0)
    }

    /// Another such type, whose traits no other test has looked up.
    struct Magazine: Identifiable, Sendable {
        let id: Int
        var title: String

        static let comparisons = Atomic(0)
    }

    @Test("Storing an equal value in the background doesn't call a main-actor-isolated ==")
    func backgroundWrites() async {
        await Task.detached {
            let cache = Cache()
            cache.set(Volume(id: 1, title: "Tehanu"))
            cache.set(Volume(id: 1, title: "Tehanu"))
            cache.performBatchUpdates { batch in
                batch.set(Volume(id: 1, title: "Tehanu"))
            }
            #expect(cache.version == 3)
        }.value
        #expect(Volume.comparisons.load(ordering: .relaxed) == 0)
    }

    @Test("A main-actor-isolated == isn't found on the main actor either")
    @MainActor
    func mainActorWrites() async {
        let cache = Cache()
        cache.set(Magazine(id: 1, title: "Locus"))
        cache.set(Magazine(id: 1, title: "Locus"))
        #expect(cache.version == 2)
        // The type's table was created on the main actor and is now used off it.
        await Task.detached { _ = cache.set(Magazine(id: 1, title: "Locus")) }.value
        #expect(cache.version == 3)
        #expect(Magazine.comparisons.load(ordering: .relaxed) == 0)
    }

    @Test("A nonisolated == is found on any thread")
    @MainActor
    func nonisolatedConformance() {
        let cache = Cache()
        cache.set(Author(id: "lem", name: "Stanisław Lem"))
        cache.set(Author(id: "lem", name: "Stanisław Lem"))
        #expect(cache.version == 1)
    }
}

extension IsolatedConformanceTests.Volume: @MainActor Equatable {
    @MainActor static func == (left: Self, right: Self) -> Bool {
        comparisons.add(1, ordering: .relaxed)
        return left.id == right.id && left.title == right.title
    }
}

extension IsolatedConformanceTests.Magazine: @MainActor Equatable {
    @MainActor static func == (left: Self, right: Self) -> Bool {
        comparisons.add(1, ordering: .relaxed)
        return left.id == right.id && left.title == right.title
    }
}
#endif
