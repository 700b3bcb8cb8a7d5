import FlatCache

/// The packages of a distribution: a graph with a few hubs that are reachable from most packages.
struct PackageIndex: Sendable {
    let packages: [SoftwarePackage]
    /// The package to update, on which most others depend.
    let hub: SoftwarePackage

    /// Generates packages that depend on earlier ones: half of their dependencies are among a few
    /// common packages, the others are arbitrary.
    init(packages count: Int) {
        var random = SeededGenerator(seed: 4)
        packages = (0..<max(100, count)).map { number in
            // As in a real distribution, packages have four to five dependencies on average.
            let dependencies = (0..<min(number, Int.random(in: 1...8, using: &random))).map { _ in
                let candidates = Bool.random(using: &random) ? min(number, 40) : number
                return Int.random(in: 0..<candidates, using: &random)
            }
            return SoftwarePackage(
                id: Self.name(number),
                version: "1.0-1",
                dependencies: Set(dependencies).sorted().map { .init(Self.name($0)) }
            )
        }
        hub = packages[0]
    }

    private static func name(_ number: Int) -> String { "package-\(number)" }
}

extension PackageIndex: CustomStringConvertible {
    var description: String {
        let dependencies = packages.reduce(0) { $0 + $1.dependencies.count }
        return "\(packages.count) packages with \(dependencies) dependencies"
    }
}
