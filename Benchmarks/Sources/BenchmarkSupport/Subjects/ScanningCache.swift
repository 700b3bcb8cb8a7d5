import FlatCache

/// A baseline for propagation: a cache that keeps, for each value, the keys that it refers to, and at
/// each change scans that whole table for each key that the change has reached.
///
/// So does Pancake, and so does whatever keeps relationships in one direction only.
final class ScanningCache {
    private var packages: [String: DebianPackage] = [:]
    private var relationships: [String: Set<String>] = [:]
    private var observers: [String: [() -> Void]] = [:]

    /// Stores packages and what they refer to.
    func ingest(_ packages: [DebianPackage]) {
        for package in packages { set(package) }
    }

    /// Stores a package and what it refers to.
    func set(_ package: DebianPackage) {
        packages[package.id] = package
        relationships[package.id] = Set(package.dependencies.map(\.id))
    }

    /// Calls a closure when a package, or what it refers to at any depth, has changed.
    func observe(_ id: String, _ observer: @escaping () -> Void) {
        observers[id, default: []].append(observer)
    }

    /// Ends all observations.
    func removeObservers() { observers = [:] }

    /// Tells the observers of what a change reaches.
    ///
    /// - Parameters:
    ///   - id: The package that has changed.
    ///   - scanLimit: After how many scans of the table this stops, though keys are left to scan for.
    /// - Returns: How many scans there were.
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

    /// Removes every package that no observed one reaches, by marking what is reached.
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
