// swift-tools-version: 6.1
import PackageDescription

// A package of its own, so that clients of FlatCache don't depend on the benchmarks' dependencies.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    traits: [.trait(name: "GRDB", description: "Rows that compare FlatCache with GRDB")],
    dependencies: [
        .package(name: "FlatCache", path: "..", traits: ["OpenCombine"]),
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.10.0"),
        .package(url: "https://github.com/OpenCombine/OpenCombine.git", from: "0.14.0"),
    ],
    targets: [
        .target(
            name: "BenchmarkSupport",
            dependencies: [
                .product(name: "FlatCache", package: "FlatCache"),
                .product(name: "FlatCacheFoundation", package: "FlatCache"),
                .product(name: "FlatCacheDispatch", package: "FlatCache"),
                .product(name: "FlatCacheCombine", package: "FlatCache"),
                .product(name: "FlatCachePersistence", package: "FlatCache"),
                .product(name: "FlatCacheSQLite", package: "FlatCache"),
                .product(name: "FlatCachePostgres", package: "FlatCache"),
                .product(
                    name: "OpenCombine",
                    package: "OpenCombine",
                    condition: .when(platforms: [.linux])
                ),
                .product(
                    name: "GRDB",
                    package: "GRDB.swift",
                    condition: .when(traits: ["GRDB"])
                ),
            ]
        ),
        .executableTarget(name: "Compare", dependencies: ["BenchmarkSupport"]),
        .testTarget(
            name: "BenchmarkSupportTests",
            dependencies: [
                "BenchmarkSupport",
                .product(name: "FlatCache", package: "FlatCache"),
                .product(name: "FlatCachePersistence", package: "FlatCache"),
            ]
        ),
        .testTarget(name: "CompareTests", dependencies: ["BenchmarkSupport", "Compare"]),
    ],
    swiftLanguageModes: [.v6]
)

// All targets, including future ones, use the same settings.
let swiftSettings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]
for target in package.targets { target.swiftSettings = swiftSettings }
