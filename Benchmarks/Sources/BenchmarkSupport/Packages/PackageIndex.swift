import FlatCache
import Foundation

/// The packages of a distribution: a real graph with a few hubs that are reachable from most
/// packages.
struct PackageIndex: Sendable {
    /// The source of the packages, for readers of the results.
    let source: String
    let packages: [DebianPackage]
    /// The package to update, on which most others depend.
    let hub: DebianPackage

    /// Returns the index of this machine: the available packages, otherwise the installed ones,
    /// otherwise a generated graph.
    static func ofThisMachine(_ scale: Scale) -> PackageIndex {
        available() ?? installed() ?? generated(packages: scale(60_000))
    }

    private static func available() -> PackageIndex? {
        let tool = URL(fileURLWithPath: "/usr/bin/apt-cache")
        guard FileManager.default.isExecutableFile(atPath: tool.path),
            let text = try? ChildProcess.output(of: tool, arguments: ["dumpavail"])
        else { return nil }
        return debian(text, source: "apt-cache dumpavail")
    }

    private static func installed() -> PackageIndex? {
        let file = URL(fileURLWithPath: "/var/lib/dpkg/status")
        guard let text = try? Data(contentsOf: file) else { return nil }
        return debian(text, source: "the dpkg status file")
    }

    // An index without libc6, or with very few packages, isn't suitable for measuring.
    private static func debian(_ text: Data, source: String) -> PackageIndex? {
        let packages = ControlFile.packages(in: text)
        guard packages.count >= 200, let hub = packages.first(where: { $0.id == "libc6" }) else {
            return nil
        }
        return PackageIndex(source: source, packages: packages, hub: hub)
    }

    /// Generates packages that depend on earlier ones: half of their dependencies are among a few
    /// common packages, the others are arbitrary.
    static func generated(packages count: Int) -> PackageIndex {
        var random = SeededGenerator(seed: 4)
        let packages = (0..<max(100, count)).map { number in
            // Debian's packages have 4.3 dependencies on average.
            let dependencies = (0..<min(number, Int.random(in: 1...8, using: &random))).map { _ in
                let candidates = Bool.random(using: &random) ? min(number, 40) : number
                return Int.random(in: 0..<candidates, using: &random)
            }
            return DebianPackage(
                id: name(number),
                version: "1.0-1",
                dependencies: Set(dependencies).sorted().map { .init(name($0)) }
            )
        }
        return PackageIndex(source: "a generated graph", packages: packages, hub: packages[0])
    }

    private static func name(_ number: Int) -> String { "generated-package-\(number)" }
}

extension PackageIndex: CustomStringConvertible {
    var description: String {
        let dependencies = packages.reduce(0) { $0 + $1.dependencies.count }
        return "\(packages.count) packages with \(dependencies) dependencies, from \(source)"
    }
}
