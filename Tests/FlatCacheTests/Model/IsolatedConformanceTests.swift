// Swift 6.1 has no isolated conformances.
#if compiler(>=6.2)
import FlatCache
import Synchronization
import Testing
import TestSupport

/// Conformances that belong to the main actor, which the cache must never use: it compares values
/// on whichever thread writes.
struct IsolatedConformanceTests {
    /// Tells whether its `==` was called.
    struct Volume: Identifiable, Sendable {
        let id: Int
        var title: String

        static let comparisons = Atomic(0)
    }

    /// The same for another type, whose traits no other test has asked for yet.
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
        // The table of the type has been made on the main actor, and is used elsewhere now.
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
