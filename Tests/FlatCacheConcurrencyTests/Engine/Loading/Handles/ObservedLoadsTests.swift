import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests the collection of the loading handles that are observed.
struct ObservedLoadsTests {
    private final class Load: ObservedLoad {
        func record(_ withdrawal: Withdrawal) {}
        func recordNewLoader() {}
        func resume() {}
        func recordStaleWholeValue() {}

        func close() {}
    }

    private func key(_ id: Int) -> CacheKey { CacheKey(Station.self, id: id) }

    private func identities(_ loads: [any ObservedLoad]) -> Set<ObjectIdentifier> {
        Set(loads.map { ObjectIdentifier($0) })
    }

    @Test func loadsAreFoundByTheirKeys() {
        var observed = ObservedLoads()
        let loads = (0..<4).map { _ in Load() }
        for (index, load) in loads.enumerated() { observed.insert(load, of: key(index / 2)) }
        #expect(
            identities(observed.loads(in: .entity(key(0)))) == identities([loads[0], loads[1]])
        )
        #expect(
            identities(observed.loads(in: .entity(key(1)))) == identities([loads[2], loads[3]])
        )
        #expect(observed.loads(in: .entity(key(2))).isEmpty)
        #expect(observed.loads(in: .all).count == 4)
    }

    @Test func loadIsInsertedOnce() {
        var observed = ObservedLoads()
        let load = Load()
        observed.insert(load, of: key(1))
        observed.insert(load, of: key(1))
        #expect(observed.loads(in: .entity(key(1))).count == 1)
        observed.remove(load, of: key(1))
        #expect(observed.isEmpty)
        observed.remove(load, of: key(1))
        #expect(observed.isEmpty)
    }

    @Test func removalLeavesOtherLoads() {
        var observed = ObservedLoads()
        let loads = [Load(), Load()]
        for load in loads { observed.insert(load, of: key(1)) }
        observed.remove(loads[0], of: key(1))
        #expect(identities(observed.loads(in: .entity(key(1)))) == identities([loads[1]]))
        #expect(!observed.isEmpty)
    }

    @Test("Thousands of handles to one entity, and to as many entities, leave nothing behind")
    func manyHandles() async {
        let cache = Cache()
        cache.setLoader(for: Station.self) { ids in ids.map { Station(id: $0, revision: 1) } }
        let count = 2_000
        let handles = (0..<2 * count).map { index in
            cache.cached(Station.self, id: max(0, index - count)).loading()
        }
        let tokens = handles.map { $0.observe { _ in } }
        #expect(cache.core.observedLoads.withLock { $0.loads(in: .all) }.count == 2 * count)
        #expect(await until { handles.allSatisfy { $0.value?.revision == 1 } })
        #expect(await until { handles.allSatisfy { !$0.loadState.isLoading } })
        for token in tokens { token.dispose() }
        #expect(cache.core.observedLoads.withLock { $0.isEmpty })
        #expect(cache.core.loads.isIdle)
    }
}
