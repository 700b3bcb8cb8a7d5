// swift-tools-version: 6.1
import CompilerPluginSupport
import Foundation
import PackageDescription

// A replacement for Combine on systems without it, if the trait is on. SwiftPM doesn't fetch the
// package if the trait is off.
let openCombine = Target.Dependency.product(
    name: "OpenCombine",
    package: "OpenCombine",
    condition: .when(platforms: [.linux, .android], traits: ["OpenCombine"])
)

// Macros need SwiftSyntax, which SwiftPM doesn't fetch either if their trait is off. The sources of
// their targets are empty then.
func swiftSyntax(_ product: String) -> Target.Dependency {
    .product(name: product, package: "swift-syntax", condition: .when(traits: ["Macros"]))
}
let macros = Target.Dependency.target(
    name: "FlatCacheMacros",
    condition: .when(traits: ["Macros"])
)

// Apple's platforms have SQLite. On Linux, its header is a package of the system. Without the
// header, the module FlatCacheSQLite is empty, and its tests and two chapters of Bookshop are
// left out.
#if canImport(Darwin)
let hasSQLite = true
#else
let hasSQLite = FileManager.default.fileExists(atPath: "/usr/include/sqlite3.h")
#endif

// PostgreSQL's client library isn't part of any system. Without its header, the module
// FlatCachePostgres is empty, and its tests are left out.
let hasPostgres = [
    "/usr/include/postgresql", "/usr/include", "/opt/homebrew/opt/libpq/include",
    "/usr/local/opt/libpq/include",
].contains { FileManager.default.fileExists(atPath: "\($0)/libpq-fe.h") }

let package = Package(
    name: "FlatCache",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "FlatCache", targets: ["FlatCache"]),
        .library(name: "FlatCacheFoundation", targets: ["FlatCacheFoundation"]),
        .library(name: "FlatCacheDispatch", targets: ["FlatCacheDispatch"]),
        .library(name: "FlatCacheCombine", targets: ["FlatCacheCombine"]),
        .library(name: "FlatCacheTesting", targets: ["FlatCacheTesting"]),
        .library(name: "FlatCachePersistence", targets: ["FlatCachePersistence"]),
        .library(
            name: "FlatCachePersistenceCombine",
            targets: ["FlatCachePersistenceCombine"]
        ),
        .library(name: "FlatCacheSQLite", targets: ["FlatCacheSQLite"]),
        .library(name: "FlatCachePostgres", targets: ["FlatCachePostgres"]),
    ],
    traits: [
        .trait(
            name: "OpenCombine",
            description: "Builds FlatCacheCombine with OpenCombine where Combine is missing."
        ),
        .trait(
            name: "Macros",
            description: "Adds @Mergeable and @CachedRelationships, which need SwiftSyntax."
        ),
    ],
    dependencies: [
        .package(url: "https://github.com/OpenCombine/OpenCombine.git", from: "0.14.0"),
        .package(url: "https://github.com/swiftlang/swift-syntax.git", "602.0.0"..<"604.0.0"),
    ],
    targets: [
        .macro(
            name: "FlatCacheMacros",
            dependencies: [
                swiftSyntax("SwiftCompilerPlugin"), swiftSyntax("SwiftDiagnostics"),
                swiftSyntax("SwiftSyntax"), swiftSyntax("SwiftSyntaxBuilder"),
                swiftSyntax("SwiftSyntaxMacros"),
            ]
        ),
        .target(name: "FlatCache", dependencies: [macros]),
        .target(name: "FlatCacheFoundation", dependencies: ["FlatCache"]),
        .target(name: "FlatCacheDispatch", dependencies: ["FlatCache"]),
        .target(name: "FlatCacheCombine", dependencies: ["FlatCache", openCombine]),
        .target(name: "FlatCachePersistence", dependencies: ["FlatCache"]),
        .target(
            name: "FlatCacheTesting",
            dependencies: ["FlatCache", "FlatCachePersistence"]
        ),
        .target(
            name: "FlatCachePersistenceCombine",
            dependencies: ["FlatCache", "FlatCacheCombine", "FlatCachePersistence"]
        ),
        // The parts that FlatCacheSQLite and FlatCachePostgres have in common.
        .target(name: "FlatCacheRows"),
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
        .target(
            name: "FlatCacheSQLite",
            dependencies: [
                "FlatCache", "FlatCacheFoundation", "FlatCachePersistence", "FlatCacheRows",
                .target(name: "CSQLite", condition: .when(platforms: [.linux])),
            ]
        ),
        .target(
            name: "FlatCachePostgres",
            dependencies: ["FlatCache", "FlatCacheRows"] + (hasPostgres ? ["CPostgres"] : [])
        ),
        .executableTarget(
            name: "Bookshop",
            dependencies: ["FlatCache", "FlatCacheFoundation", "FlatCachePersistence"]
                + (hasSQLite ? ["FlatCacheSQLite"] : []),
            resources: [.copy("Responses")]
        ),
        // Helpers for the tests of several modules.
        .target(name: "TestSupport", dependencies: ["FlatCache"], path: "Tests/TestSupport"),
        // Helpers for the tests of one module. They are test targets, so that they can import the
        // module with `@testable`.
        .testTarget(
            name: "FlatCacheTestSupport",
            dependencies: ["FlatCache", "FlatCacheTesting", "TestSupport"]
        ),
        .testTarget(
            name: "FlatCacheTests",
            dependencies: ["FlatCache", "FlatCacheTesting", "FlatCacheTestSupport", "TestSupport"]
        ),
        // Tests with threads or tasks. ThreadSanitizer runs the targets with this ending for each
        // change, and most others only at night.
        .testTarget(
            name: "FlatCacheConcurrencyTests",
            dependencies: ["FlatCache", "FlatCacheTesting", "FlatCacheTestSupport", "TestSupport"]
        ),
        // Random operations against naive references.
        .testTarget(
            name: "FlatCacheModelTests",
            dependencies: ["FlatCache", "FlatCacheTesting", "FlatCacheTestSupport", "TestSupport"]
        ),
        // The tests run the plug-in as the compiler does. With a dependency on it, SwiftPM would
        // build all tests for the host, and every library twice.
        .testTarget(
            name: "FlatCacheMacrosTests",
            dependencies: ["FlatCache", "FlatCacheTesting", "TestSupport"]
        ),
        .testTarget(
            name: "FlatCacheTestingTests",
            dependencies: [
                "FlatCache", "FlatCachePersistence", "FlatCacheTesting", "TestSupport",
            ]
        ),
        .testTarget(
            name: "FlatCacheFoundationTests",
            dependencies: ["FlatCache", "FlatCacheFoundation", "FlatCacheTesting", "TestSupport"]
        ),
        .testTarget(
            name: "FlatCacheDispatchTests",
            dependencies: ["FlatCache", "FlatCacheDispatch", "TestSupport"]
        ),
        .testTarget(
            name: "FlatCacheCombineTests",
            dependencies: ["FlatCache", "FlatCacheCombine", "TestSupport", openCombine]
        ),
        .testTarget(name: "FlatCacheRowsTests", dependencies: ["FlatCacheRows", "TestSupport"]),
        // A program that the tests below run as a second process.
        .executableTarget(
            name: "PersistenceProbe",
            dependencies: ["FlatCachePersistence"],
            path: "Tests/PersistenceProbe"
        ),
        .testTarget(
            name: "FlatCachePersistenceTestSupport",
            dependencies: ["FlatCache", "FlatCachePersistence", "FlatCacheTesting", "TestSupport"]
        ),
        .testTarget(
            name: "FlatCachePersistenceTests",
            dependencies: [
                "FlatCache", "FlatCachePersistence", "FlatCachePersistenceTestSupport",
                "FlatCacheTesting", "PersistenceProbe", "TestSupport",
            ]
        ),
        .testTarget(
            name: "FlatCachePersistenceConcurrencyTests",
            dependencies: [
                "FlatCache", "FlatCachePersistence", "FlatCachePersistenceTestSupport",
                "FlatCacheTesting", "TestSupport",
            ]
        ),
        .testTarget(
            name: "FlatCachePersistenceCombineTests",
            dependencies: [
                "FlatCache", "FlatCacheCombine", "FlatCachePersistence",
                "FlatCachePersistenceCombine", openCombine,
            ]
        ),
        .testTarget(
            name: "BookshopTests",
            dependencies: [
                "Bookshop", "FlatCache", "FlatCachePersistence", "FlatCacheTesting", "TestSupport",
            ],
            exclude: ["ExpectedOutput.txt"]
        ),
        // Checks the files of the checkout.
        .testTarget(name: "RepositoryTests", dependencies: ["TestSupport"]),
    ],
    swiftLanguageModes: [.v6]
)

if hasPostgres {
    package.targets += [
        .systemLibrary(
            name: "CPostgres",
            providers: [.apt(["libpq-dev"]), .brew(["libpq"]), .yum(["libpq-devel"])]
        ),
        // A node of a service that the tests below run as a process.
        .executableTarget(
            name: "PostgresProbe",
            dependencies: ["FlatCache", "FlatCachePostgres"],
            path: "Tests/PostgresProbe"
        ),
        .testTarget(
            name: "FlatCachePostgresTests",
            dependencies: [
                "FlatCache", "FlatCachePostgres", "FlatCacheRows", "PostgresProbe", "TestSupport",
            ]
        ),
    ]
}

if hasSQLite {
    package.targets += [
        // A program that the tests below run as a second process.
        .executableTarget(
            name: "SQLiteProbe",
            dependencies: ["FlatCache", "FlatCacheFoundation", "FlatCacheSQLite"],
            path: "Tests/SQLiteProbe"
        ),
        .testTarget(
            name: "FlatCacheSQLiteTestSupport",
            dependencies: [
                "FlatCache", "FlatCacheSQLite", "FlatCacheTesting", "TestSupport",
                .target(name: "CSQLite", condition: .when(platforms: [.linux])),
            ]
        ),
        .testTarget(
            name: "FlatCacheSQLiteTests",
            dependencies: [
                "FlatCache", "FlatCacheFoundation", "FlatCacheRows", "FlatCacheSQLite",
                "FlatCacheSQLiteTestSupport", "FlatCacheTesting", "SQLiteProbe", "TestSupport",
            ]
        ),
        .testTarget(
            name: "FlatCacheSQLiteConcurrencyTests",
            dependencies: [
                "FlatCache", "FlatCacheSQLite", "FlatCacheSQLiteTestSupport", "FlatCacheTesting",
                "TestSupport",
            ]
        ),
    ]
}

// Some steps of `.ci/run`, such as those with a sanitizer, compile the tests once more. They name
// the test targets that they need. The targets with helpers remain in the package.
if let chosen = Context.environment["FLATCACHE_TEST_TARGETS"]?.split(separator: ",") {
    package.targets.removeAll { target in
        target.type == .test && !target.name.hasSuffix("TestSupport")
            && !chosen.contains { $0 == target.name }
    }
}

// All targets, including future ones, use the same settings.
let swiftSettings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    // Hooks that let tests wait for state under a lock and delay threads. A package that depends on
    // this one gets them in debug builds only.
    .define("TestHooks", .when(configuration: .debug)),
]
for target in package.targets where target.type != .system {
    target.swiftSettings = swiftSettings
}
// In an optimized build of such a step, the tests with threads aren't optimized, but the modules
// that they test are. Optimizing the tests would take longer than the rest of the step.
if Context.environment["FLATCACHE_TEST_TARGETS"] != nil {
    for target in package.targets where target.name.hasSuffix("ConcurrencyTests") {
        target.swiftSettings?.append(.unsafeFlags(["-Onone"], .when(configuration: .release)))
    }
}
if hasSQLite {
    for target in package.targets where ["Bookshop", "BookshopTests"].contains(target.name) {
        target.swiftSettings?.append(.define("HasSQLite"))
    }
}
