// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "FlatCache",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "FlatCache", targets: ["FlatCache"]),
        .library(name: "FlatCacheDispatch", targets: ["FlatCacheDispatch"]),
    ],
    targets: [
        .target(name: "FlatCache"),
        .target(name: "FlatCacheDispatch", dependencies: ["FlatCache"]),
        .executableTarget(
            name: "Bookshop",
            dependencies: ["FlatCache"],
            resources: [.copy("Responses")]
        ),
        .testTarget(name: "FlatCacheTests", dependencies: ["FlatCache"]),
        .testTarget(
            name: "FlatCacheDispatchTests",
            dependencies: ["FlatCache", "FlatCacheDispatch"]
        ),
        .testTarget(
            name: "BookshopTests",
            dependencies: ["Bookshop", "FlatCache"],
            exclude: ["ExpectedOutput.txt"]
        ),
    ],
    swiftLanguageModes: [.v6]
)
