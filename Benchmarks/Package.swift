// swift-tools-version: 6.1
import PackageDescription

// A package of its own, so that nothing of what measuring needs reaches a client of FlatCache.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "FlatCache", path: "..", traits: ["OpenCombine"]),
        .package(url: "https://github.com/OpenCombine/OpenCombine.git", from: "0.14.0"),
        .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
    ],
    targets: [
        .target(
            name: "BenchmarkSupport",
            dependencies: [
                .product(name: "FlatCache", package: "FlatCache"),
                .product(name: "FlatCacheDispatch", package: "FlatCache"),
                .product(name: "FlatCacheCombine", package: "FlatCache"),
                .product(name: "FlatCachePersistence", package: "FlatCache"),
                .product(
                    name: "OpenCombine",
                    package: "OpenCombine",
                    condition: .when(platforms: [.linux])
                ),
            ]
        ),
        .executableTarget(name: "Compare", dependencies: ["BenchmarkSupport"]),
        // The folder is where the benchmark package's plugin looks for its targets.
        .executableTarget(
            name: "FlatCacheBenchmarks",
            dependencies: [
                "BenchmarkSupport",
                .product(name: "Benchmark", package: "benchmark"),
            ],
            path: "Benchmarks/FlatCacheBenchmarks",
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]
        ),
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

// Every target, those to come included, is compiled with the same settings.
let swiftSettings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]
for target in package.targets { target.swiftSettings = swiftSettings }
