import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests that partial values merge with each kind of write.
struct CacheMergingTests {
    /// A protocol as an app declares it to store any of its entities through one existential.
    ///
    /// The compiler must know that the identifier is `Sendable`.
    protocol Entity: Identifiable, Sendable where ID: Sendable {}

    struct Part: Entity, Mergeable, Equatable {
        let id: Int
        var left: Int?
        var right: Int?

        func merged(with other: Part) -> Part {
            Part(id: id, left: other.left ?? left, right: other.right ?? right)
        }
    }

    let cache = Cache()
    let left = Part(id: 1, left: 1)
    let right = Part(id: 1, right: 2)
    let whole = Part(id: 1, left: 1, right: 2)

    init() {
        cache.set(left)
    }

    private func store<Value: Identifiable & Sendable>(
        _ value: Value,
        in cache: some CacheType
    ) where Value.ID: Sendable {
        cache.set(value)
    }

    private func storeErased(_ value: any Entity, in cache: some CacheType) {
        cache.set(value)
    }

    @Test func mergesThroughTheCache() {
        #expect(cache.set(right) == whole)
        #expect(cache[Part.self, 1] == whole)
    }

    @Test func mergesThroughSetContents() {
        #expect(cache.set(contentsOf: [right]) == [whole])
        #expect(cache[Part.self, 1] == whole)
    }

    @Test func mergesThroughAGenericFunction() {
        store(right, in: cache)
        #expect(cache[Part.self, 1] == whole)
    }

    @Test func mergesThroughAGenericFunctionInABatch() {
        cache.performBatchUpdates { store(right, in: $0) }
        #expect(cache[Part.self, 1] == whole)
    }

    @Test func mergesThroughATypeErasedRoute() {
        storeErased(right, in: cache)
        #expect(cache[Part.self, 1] == whole)
    }

    @Test func mergesThroughATypeErasedRouteInABatch() {
        cache.performBatchUpdates { storeErased(right, in: $0) }
        #expect(cache[Part.self, 1] == whole)
    }

    @Test func mergesThroughAHandle() {
        let handle = cache.cached(Part.self, id: 1)
        handle.value = right
        #expect(handle.value == whole)
    }

    @Test func mergesThroughAHandleInABatch() {
        let handle = cache.cached(Part.self, id: 1)
        cache.performBatchUpdates { batch in
            handle.value = right
            #expect(batch[Part.self, 1] == whole)
        }
        #expect(handle.value == whole)
    }

    @Test func mergesThroughABatch() {
        cache.performBatchUpdates { batch in
            #expect(batch.set(right) == whole)
            #expect(batch[Part.self, 1] == whole)
        }
        #expect(cache[Part.self, 1] == whole)
    }

    @Test func mergesWithValuesOfTheBatch() {
        cache.performBatchUpdates { batch in
            batch.set(Part(id: 2, left: 1))
            batch.set(Part(id: 2, right: 2))
        }
        #expect(cache[Part.self, 2] == Part(id: 2, left: 1, right: 2))
    }

    @Test func doesNotMergeWithValuesRemovedByTheBatch() {
        cache.performBatchUpdates { batch in
            batch.remove(Part.self, id: 1)
            batch.set(right)
        }
        #expect(cache[Part.self, 1] == right)
    }

    @Test func storedValueIsMergedWithTheIncomingOne() {
        cache.set(Part(id: 1, left: 9))
        #expect(cache[Part.self, 1]?.left == 9)
    }
}
