import FlatCache
import Testing

@testable import BenchmarkSupport

struct PackageIndexTests {
    @Test func indexIsTheSameEachTimeAndHasManyDependentsOfItsHub() {
        let index = PackageIndex(packages: 1_000)
        let again = PackageIndex(packages: 1_000)
        #expect(index.packages.map(\.relatedCacheKeys) == again.packages.map(\.relatedCacheKeys))
        let direct = index.packages.count { $0.dependencies.contains { $0.id == index.hub.id } }
        #expect(direct > 20)
    }
}
