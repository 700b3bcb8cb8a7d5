import FlatCache
import Foundation
import Testing

@testable import BenchmarkSupport

struct ControlFileTests {
    @Test func paragraphBecomesAPackageWithThePackagesItNeeds() throws {
        let text = """
            Package: bash
            Architecture: amd64
            Version: 5.2.15-2
            Pre-Depends: libc6 (>= 2.36), libtinfo6 (>= 6)
            Depends: base-files (>= 2.1.12), debianutils (>= 5.6-0.1) | old-utils, libc6
            Description: GNU Bourne Again SHell
             Depends: not this line, which goes on describing

            Package: base-files
            Version: 12
            """
        let packages = ControlFile.packages(in: Data(text.utf8))
        try #require(packages.map(\.id) == ["bash", "base-files"])
        #expect(packages[0].version == "5.2.15-2")
        #expect(
            packages[0].dependencies.map(\.id) == [
                "libc6", "libtinfo6", "base-files", "debianutils",
            ]
        )
        #expect(packages[1].dependencies.isEmpty)
    }

    @Test func ofSeveralVersionsTheLastOneCounts() throws {
        let text = "Package: a\nVersion: 1\n\nPackage: b\nVersion: 1\n\nPackage: a\nVersion: 2\n\n"
        let packages = ControlFile.packages(in: Data(text.utf8))
        #expect(packages.map { $0.id + $0.version } == ["a2", "b1"])
    }

    @Test func architecturesAreNotPartOfAName() {
        #expect(
            ControlFile.names(inDependencies: "python3:any (>= 3.9), perl:any") == [
                "python3", "perl",
            ]
        )
    }

    @Test func generatedIndexIsTheSameEachTimeAndFullOfDependentsOfItsHub() {
        let index = PackageIndex.generated(packages: 1_000)
        let again = PackageIndex.generated(packages: 1_000)
        #expect(index.packages.map(\.relatedCacheKeys) == again.packages.map(\.relatedCacheKeys))
        let direct = index.packages.count { $0.dependencies.contains { $0.id == index.hub.id } }
        #expect(direct > 20)
    }
}
