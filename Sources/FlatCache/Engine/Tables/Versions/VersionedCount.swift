/// The number of values in a table, as of each version that a reader may need.
struct VersionedCount: Sendable {
    private var latest = 0
    private var version: UInt64 = 0
    /// The counts before the latest one, oldest first.
    private var priorCounts: [(count: Int, version: UInt64)] = []

    var holdsPriorCounts: Bool { !priorCounts.isEmpty }

    func count(at readVersion: UInt64) -> Int {
        if version <= readVersion { return latest }
        return priorCounts.last { $0.version <= readVersion }?.count ?? 0
    }

    mutating func add(_ difference: Int, at newVersion: UInt64) {
        priorCounts.append((latest, version))
        latest += difference
        version = newVersion
    }

    /// Drops the counts that none of the given versions reads.
    mutating func reclaim(keeping readVersions: [UInt64]) {
        var newerVersion = version
        var kept: [(count: Int, version: UInt64)] = []
        for older in priorCounts.reversed() {
            if readVersions.contains(where: { older.version <= $0 && $0 < newerVersion }) {
                kept.append(older)
            }
            newerVersion = older.version
        }
        priorCounts = kept.reversed()
    }
}
