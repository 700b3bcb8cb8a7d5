@testable import FlatCache
@testable import FlatCacheTestSupport

/// A run of the model test of tables, with a cache whose entities are in one stripe, and its model.
///
/// The segments are so small that most steps divide or join some of them.
final class TableRun: RandomRun, @unchecked Sendable {
    // Only one thread uses an instance, and the cache calls its observers on that thread.

    private struct Failure: Error {}

    private struct Stored: Equatable {
        var value: Station
        /// The time of the last write.
        var time: Duration
        var isStale = false
    }

    /// An open snapshot with a scan that has begun.
    private struct OpenSnapshot {
        let version: UInt64
        let values: [Int: Station]
        var scan: StripeScan<Station>
        var found: [Station] = []
    }

    private let clock = SleeplessClock()
    private let cache: Cache
    private let table: Table<Station>
    private let isTimed: Bool
    private var random: SplitMix64
    private let ids: [Int]
    private let handles: [Cached<Station>]
    private var stored: [Int: Stored] = [:]
    private var snapshots: [OpenSnapshot] = []
    private var observed: [Int: Disposable] = [:]
    private let reported = Recorder<Int>()
    private var revision = 0
    private var time = Duration.zero

    private(set) var operations: [String] = []
    /// The number of times that a segment was created, and of other events.
    let counts = EventCounts()

    init(seed: Seed) {
        random = SplitMix64(seed: seed)
        var configuration = CacheConfiguration(clock: clock)
        configuration.segmentSize = SegmentSize(maximumCapacity: random.pick([2, 4, 8, 16]))
        isTimed = random.oneIn(2)
        if isTimed {
            configuration.limit(
                Station.self,
                .count(1_000),
                staleAfter: .after(.seconds(1_000_000))
            )
        }
        cache = Cache(configuration: configuration)
        table = cache.core.tables.table(of: Station.self)
        ids = Station.idsInOneStripe(random.pick([6, 20, 80]))
        handles = ids.map { [cache] in cache.cached(Station.self, id: $0) }
    }

    private func newStation(_ id: Int) -> Station {
        revision += 1
        return Station(id: id, revision: revision)
    }

    private func someIDs() -> [Int] {
        (0..<random.below(ids.count + 1)).map { _ in random.pick(ids) }
    }

    /// Performs a random operation; returns the description of a difference, or `nil` if there's
    /// none.
    func step() -> String? {
        clock.advance(by: .seconds(1))
        time += .seconds(1)
        let before = stored
        perform()
        let changed = Set(ids.filter { before[$0] != stored[$0] })
        return difference() ?? observationDifference(changed)
    }

    private func perform() {
        switch random.below(14) {
        case 0, 1: write(to: cache, "set", count: 1)
        case 2: write(to: cache, "set contents", count: random.below(ids.count))
        case 3, 4: remove(random.pick(ids), from: cache)
        case 5: remove(someIDs())
        case 6, 7: performBatch()
        case 8: openSnapshot()
        case 9: continueScans()
        case 10: closeSnapshot()
        case 11: observe(random.pick(ids))
        case 12: invalidate(random.pick(ids))
        default:
            operations.append("remove all")
            if random.oneIn(4) {
                cache.removeAll(Station.self)
                stored = [:]
            }
        }
    }

    private func write(to target: some CacheType, _ name: String, count: Int) {
        let values = (0..<count).map { _ in newStation(random.pick(ids)) }
        operations.append("\(name) \(values.map(\.id))")
        if count == 1 { target.set(values[0]) } else { target.set(contentsOf: values) }
        for value in values { stored[value.id] = Stored(value: value, time: time) }
    }

    private func remove(_ id: Int, from target: some CacheType) {
        operations.append("remove \(id)")
        target.remove(Station.self, id: id)
        stored[id] = nil
    }

    private func remove(_ ids: [Int]) {
        cache.performBatchUpdates { batch in for id in ids { remove(id, from: batch) } }
    }

    /// Performs writes in savepoints, some of which are rolled back.
    private func performBatch(depth: Int = 0) {
        let former = stored
        operations.append("batch at depth \(depth)")
        do {
            try cache.performBatchUpdates { batch in
                for _ in 0..<random.below(6) {
                    switch random.below(5) {
                    case 0: write(to: batch, "set", count: 1)
                    case 1: write(to: batch, "set contents", count: random.below(ids.count))
                    case 2: remove(random.pick(ids), from: batch)
                    case 3 where depth < 3: performBatch(depth: depth + 1)
                    default: invalidate(random.pick(ids), in: batch)
                    }
                }
                if random.oneIn(3) { throw Failure() }
            }
        } catch {
            operations.append("rolled back")
            counts.add("rolled back")
            stored = former
        }
    }

    // MARK: Snapshots

    private func openSnapshot() {
        guard snapshots.count < 3 else { return }
        operations.append("open a snapshot")
        snapshots.append(
            OpenSnapshot(
                version: cache.core.clock.openSnapshot(),
                values: stored.mapValues(\.value),
                scan: StripeScan(of: table.stripe(at: 5))
            )
        )
    }

    private func continueScans() {
        operations.append("continue scans")
        for index in snapshots.indices { continueScan(at: index) }
    }

    /// Scans the next segment; returns whether there was one.
    @discardableResult
    private func continueScan(at index: Int) -> Bool {
        guard let found = snapshots[index].scan.next(at: snapshots[index].version) else {
            return false
        }
        snapshots[index].found += found.map(\.value)
        return true
    }

    private func closeSnapshot() {
        guard !snapshots.isEmpty else { return }
        let index = random.below(snapshots.count)
        operations.append("close snapshot \(index)")
        while continueScan(at: index) {}
        let snapshot = snapshots.remove(at: index)
        cache.core.closeSnapshot(snapshot.version)
        let found = snapshot.found.sorted { $0.id < $1.id }
        let expected = snapshot.values.values.sorted { $0.id < $1.id }
        if found != expected { problem = "A scan found \(found), not \(expected)." }
    }

    /// The first problem that an operation has met.
    private var problem: String?

    // MARK: Observers and freshness

    private func observe(_ id: Int) {
        operations.append("observe \(id), or not any more")
        if let token = observed.removeValue(forKey: id) { return token.dispose() }
        observed[id] = cache.cached(Station.self, id: id).observeChanges { [reported] in
            reported.append($0.id)
        }
    }

    private func invalidate(_ id: Int) { invalidate(id, in: cache) }

    private func invalidate(_ id: Int, in target: some CacheType) {
        operations.append("invalidate \(id)")
        target.invalidate(Station.self, id: id)
        stored[id]?.isStale = true
    }

    private func observationDifference(_ changed: Set<Int>) -> String? {
        defer { reported.removeAll() }
        let expected = changed.filter { observed[$0] != nil }
        let found = Set(reported.all)
        return found == expected ? nil : "Observers were notified of \(found), not \(expected)."
    }

    // MARK: Comparison

    private func difference() -> String? {
        if let problem { return problem }
        cache.core.checkInvariants()
        if cache.count(of: Station.self) != stored.count { return "The count is wrong." }
        for (id, handle) in zip(ids, handles) {
            let value = stored[id]?.value
            if cache[Station.self, id] != value {
                return "\(id) isn't \(String(describing: value))"
            }
            if random.oneIn(3), handle.value != value { return "The handle to \(id) is wrong." }
            let isStale = cache.freshness(of: Station.self, id: id).isStale
            if isStale != stored[id]?.isStale ?? false { return "The freshness of \(id) is wrong." }
        }
        let segments = table.segments.count - Stripes.count
        counts.add(segments > 4 ? "many segments" : segments > 0 ? "few segments" : "one segment")
        return nil
    }

    /// Removes everything; returns the description of a remaining difference.
    func end() -> String? {
        while !snapshots.isEmpty { closeSnapshot() }
        if let problem { return problem }
        cache.removeAll(Station.self)
        cache.core.checkInvariants()
        guard table.segments.count == Stripes.count else { return "Segments remain." }
        return table.stripe(at: 5).state.pointee.depth == 0 ? nil : "The directory is too large."
    }
}
