import FlatCache

/// A baseline for propagation: a cache that stores the related keys of each value.
///
/// At each change it scans that whole table once for each key that the change has reached.
///
/// Pancake works this way, as does every cache that stores relationships in one direction only.
final class ScanningCache {
    private var packages: [String: SoftwarePackage] = [:]
    private var relationships: [String: Set<String>] = [:]
    private var observers: [String: [() -> Void]] = [:]

    /// Stores packages and their relationships.
    func ingest(_ packages: [SoftwarePackage]) {
        for package in packages { set(package) }
    }

    /// Stores a package and its relationships.
    func set(_ package: SoftwarePackage) {
        packages[package.id] = package
        relationships[package.id] = Set(package.dependencies.map(\.id))
    }

    /// Calls a closure when a package, or a package that it refers to at any depth, has changed.
    func observe(_ id: String, _ observer: @escaping () -> Void) {
        observers[id, default: []].append(observer)
    }

    /// Ends all observations.
    func removeObservers() { observers = [:] }

    /// Notifies the observers that a change reaches.
    ///
    /// - Parameters:
    ///   - id: The changed package.
    ///   - scanLimit: The number of table scans after which this stops, even if keys are left.
    /// - Returns: The number of scans.
    func propagate(from id: String, scanLimit: Int) -> Int {
        var reached: Set<String> = [id]
        var waiting = [id]
        var scans = 0
        while scans < waiting.count, scans < scanLimit {
            let key = waiting[scans]
            scans += 1
            observers[key]?.forEach { $0() }
            for (dependent, related) in relationships where related.contains(key) {
                if reached.insert(dependent).inserted { waiting.append(dependent) }
            }
        }
        return scans
    }

    /// Removes every package that no observed package reaches.
    func prune() -> Int {
        var reached = Set(observers.keys)
        var waiting = Array(reached)
        while let id = waiting.popLast() {
            for related in relationships[id] ?? [] where reached.insert(related).inserted {
                waiting.append(related)
            }
        }
        let before = packages.count
        packages = packages.filter { reached.contains($0.key) }
        relationships = relationships.filter { reached.contains($0.key) }
        return before - packages.count
    }
}
