import FlatCache
import Testing

@testable import BenchmarkSupport

struct ScanningCacheTests {
    @Test func changeReachesAllDependentsInAsManyScansAsThereAreOfThem() {
        let tally = Tally()
        let cache = chain()
        cache.observe("a") { tally.add() }
        cache.observe("unrelated") { tally.add() }
        #expect(cache.propagate(from: "d", scanLimit: .max) == 4)
        tally.check(1)
    }

    @Test func propagationStopsAtTheLimit() {
        #expect(chain().propagate(from: "d", scanLimit: 2) == 2)
    }

    @Test func pruningKeepsTheDependenciesOfObservedPackages() {
        let cache = chain()
        cache.observe("b") {}
        #expect(cache.prune() == 2)
        #expect(cache.propagate(from: "d", scanLimit: .max) == 3)
    }

    private func chain() -> ScanningCache {
        let cache = ScanningCache()
        cache.ingest([
            SoftwarePackage(id: "a", version: "1", dependencies: [.init("b")]),
            SoftwarePackage(id: "b", version: "1", dependencies: [.init("c"), .init("d")]),
            SoftwarePackage(id: "c", version: "1", dependencies: [.init("d")]),
            SoftwarePackage(id: "d", version: "1", dependencies: []),
            SoftwarePackage(id: "unrelated", version: "1", dependencies: []),
        ])
        return cache
    }
}
