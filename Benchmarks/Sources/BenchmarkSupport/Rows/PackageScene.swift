import FlatCache

/// The packages of a distribution in a cache and in a ``ScanningCache``, with a hundred of them
/// observed.
final class PackageScene {
    let index: PackageIndex
    private let observed: [String]
    private let cache = Cache()
    private let scanning = ScanningCache()
    private let tally = Tally()
    private var tokens: [Disposable] = []
    private var edition = 0

    init(_ index: PackageIndex) {
        self.index = index
        // Packages from the whole index, the same in every run.
        var random = SeededGenerator(seed: 5)
        observed = index.packages.map(\.id).shuffled(using: &random).prefix(100).map { $0 }
    }

    /// Stores all packages, and returns the nanoseconds per package.
    func ingestIntoCache() -> Double {
        Stopwatch.nanoseconds(per: index.packages.count) { cache.set(contentsOf: index.packages) }
    }

    /// Stores all packages, and returns the nanoseconds per package.
    func ingestIntoScanningCache() -> Double {
        Stopwatch.nanoseconds(per: index.packages.count) { scanning.ingest(index.packages) }
    }

    /// Observes a hundred packages, and returns the nanoseconds per observation.
    func observeInCache() -> Double {
        let tally = tally
        return Stopwatch.nanoseconds(per: observed.count) {
            tokens = observed.map { id in
                cache.cached(SoftwarePackage.self, id: id).observe { package in
                    blackHole(package.version)
                    tally.add()
                }
            }
        }
    }

    /// Observes a hundred packages, and returns the nanoseconds per observation.
    func observeInScanningCache() -> Double {
        Stopwatch.nanoseconds(per: observed.count) {
            for id in observed { scanning.observe(id) { blackHole(id) } }
        }
    }

    /// Ends all observations.
    func endObservations() {
        tokens = []
        scanning.removeObservers()
    }

    /// Updates the hub, and returns the nanoseconds per update.
    func updateHubInCache(updates: Int) -> Double {
        let callsBefore = tally.count
        defer { tally.check(callsBefore + updates * observersOfHub) }
        return Stopwatch.nanoseconds(per: updates) {
            for _ in 0..<updates {
                edition += 1
                var hub = index.hub
                hub.version = "2.\(edition)"
                cache.set(hub)
            }
        }
    }

    /// Updates the hub, and returns the nanoseconds per update.
    ///
    /// There are as many scans as packages that depend on the hub, far too many to wait for, and
    /// all scans cost the same. A few of them are measured, and their time is multiplied.
    func updateHubInScanningCache(scans: Int) -> Double {
        var done = 0
        let nanoseconds = Stopwatch.nanoseconds(per: 1) {
            scanning.set(index.hub)
            done = scanning.propagate(from: index.hub.id, scanLimit: scans)
        }
        return nanoseconds / Double(done) * Double(dependentsOfHub.count)
    }

    /// Removes the packages that no observation reaches, and returns the nanoseconds per stored
    /// package.
    func pruneCache() -> Double {
        Stopwatch.nanoseconds(per: index.packages.count) {
            blackHole(cache.pruneUnobservedValues())
        }
    }

    /// Removes the packages that no observation reaches, and returns the nanoseconds per stored
    /// package.
    func pruneScanningCache() -> Double {
        Stopwatch.nanoseconds(per: index.packages.count) { blackHole(scanning.prune()) }
    }

    /// The hub and all packages that depend on it at any depth, found by a plain search.
    private lazy var dependentsOfHub: Set<String> = {
        var dependents: [String: [String]] = [:]
        for package in index.packages {
            for dependency in package.dependencies {
                dependents[dependency.id, default: []].append(package.id)
            }
        }
        var reached: Set<String> = [index.hub.id]
        var waiting = [index.hub.id]
        while let id = waiting.popLast() {
            for dependent in dependents[id] ?? [] where reached.insert(dependent).inserted {
                waiting.append(dependent)
            }
        }
        return reached
    }()

    private lazy var observersOfHub = observed.count { dependentsOfHub.contains($0) }
}
