@testable import FlatCache
@testable import FlatCacheTestSupport

/// A run of the model test of freshness, with a cache and its model.
final class FreshnessRun: RandomRun, @unchecked Sendable {
    // Only one thread uses an instance, and the cache calls its observers on that thread.

    private struct Failure: Error {}

    private let clock = SleeplessClock()
    private let cache: Cache
    private var random: SplitMix64
    private var model = FreshnessModel()
    private var observed: [Int: Disposable] = [:]
    private var typeToken: Disposable?
    /// The entities that observers have reported as stale since the last check.
    private let reported = Recorder<Int>()
    /// The entities that must be reported as stale since the last check.
    private var expected: Set<Int> = []

    private(set) var operations: [String] = []
    /// The number of checked values for each freshness.
    let counts = EventCounts()

    /// Creates a run.
    ///
    /// - Parameters:
    ///   - seed: The seed of the operations.
    ///   - isLoading: Whether a load is running all the time.
    init(seed: Seed, isLoading: Bool) {
        random = SplitMix64(seed: seed)
        var configuration = CacheConfiguration(clock: clock)
        configuration.segmentSize = .small
        cache = Cache(configuration: configuration)
        if isLoading { cache.beginEndlessLease() }
        // Without lifetimes, the cache doesn't know when values were stored.
        setLifetimes(isTimed: true)
    }

    private static let idCount = 12

    private func anyID() -> Int { random.below(Self.idCount) }

    private func station() -> Station { Station(id: anyID(), revision: random.below(3)) }

    private var inUse: Set<Int> { Set(observed.keys) }

    /// Returns whether the observers of an entity learn that it has become stale.
    private func isObserved(_ id: Int) -> Bool { typeToken != nil || observed[id] != nil }

    private func setLifetimes(isTimed: Bool = false) {
        let lifetime = random.oneIn(4) && !isTimed ? nil : random.number(in: 1...20)
        let timeToLive = random.oneIn(2) ? nil : random.number(in: 1...40)
        operations.append("limit, stale after \(lifetime ?? -1) s, expires \(timeToLive ?? -1) s")
        cache.limit(
            Station.self,
            random.oneIn(2) ? .unlimited : .count(1_000),
            staleAfter: lifetime.map { .after(.seconds($0)) } ?? .never,
            expires: timeToLive.map { .afterWrite(.seconds($0)) } ?? .never
        )
        // The cache marks values by the former lifetimes, and expires them by the new ones.
        expected.formUnion(model.expire(inUse: inUse))
        model.setLifetimes(lifetime, timeToLive: timeToLive)
        expected.formUnion(model.expire(inUse: inUse))
    }

    // MARK: Steps

    /// Performs a random operation, and returns a description of the failure, or `nil`.
    func step() -> String? {
        reported.removeAll()
        expected = []
        operate(isInSnapshot: false)
        cache.core.doDeferredWorkIfIdle()
        cache.core.checkInvariants()
        return problem(with: model) { cache.freshness(of: Station.self, id: $0) }
            ?? reportProblem()
    }

    private func reportProblem() -> String? {
        let required = expected.filter(isObserved)
        let found = Set(reported.all)
        guard found != required else { return nil }
        return "\(found.sorted()) were reported as stale instead of \(required.sorted())"
    }

    private func operate(isInSnapshot: Bool) {
        switch random.below(isInSnapshot ? 9 : 13) {
        case 0..<6: write()
        case 6: batch()
        case 7:
            let seconds = random.number(in: 1...8)
            operations.append("let \(seconds) s pass")
            model.now += seconds
            clock.advance(by: .seconds(seconds))
        case 8:
            operations.append("expire")
            cache.expireValues()
            expected.formUnion(model.expire(inUse: inUse))
        case 9: changeObservations()
        case 10: if random.oneIn(3) { setLifetimes() }
        case 11: openSnapshot()
        default: grow()
        }
    }

    /// Performs a write as a commit of its own.
    private func write() {
        let before = model
        write(to: cache, isInBatch: false)
        expected.formUnion(model.commit(after: before))
    }

    private func write(to cache: some CacheType, isInBatch: Bool) {
        switch random.below(10) {
        case 0..<3:
            let value = station()
            operations.append("set \(value)")
            cache.set(value)
            model.set(value)
        case 3:
            let id = anyID()
            operations.append("set \(id) to an equal value")
            guard let value = cache.get(Station.self, id: id) else { return }
            cache.set(value)
            model.set(value)
        case 4:
            let id = anyID()
            operations.append("update \(id)")
            guard let value = cache.update(Station.self, id: id, { $0.revision += 1 }) else {
                return
            }
            model.set(value)
        case 5:
            let id = anyID()
            operations.append("remove \(id)")
            cache.remove(Station.self, id: id)
            model.stored[id] = nil
        case 6, 7:
            let id = anyID()
            operations.append("invalidate \(id)")
            cache.invalidate(Station.self, id: id)
            model.invalidate { $0.id == id }
        case 8:
            let revision = random.below(3)
            operations.append("invalidate where revision \(revision)")
            cache.invalidate(Station.self) { $0.revision == revision }
            model.invalidate { $0.revision == revision }
        default:
            operations.append("invalidate all")
            cache.invalidate(Station.self)
            model.invalidate { _ in true }
        }
    }

    private func batch() {
        let before = model
        operations.append("batch {")
        do {
            try cache.performBatchUpdates { batch in
                for _ in 0..<random.below(5) {
                    write(to: batch, isInBatch: true)
                    if random.oneIn(4) { innerBatch(in: batch) }
                    check(batch)
                }
                if random.oneIn(4) { throw Failure() }
            }
            operations.append("}")
            expected.formUnion(model.commit(after: before))
        } catch {
            operations.append("} fails")
            model = before
        }
    }

    /// Performs a batch inside a batch, which can be rolled back alone.
    private func innerBatch(in outer: CacheBatch) {
        let before = model
        operations.append("inner batch {")
        do {
            try cache.performBatchUpdates { batch in
                for _ in 0..<random.below(4) { write(to: batch, isInBatch: true) }
                check(batch)
                if random.oneIn(2) { throw Failure() }
            }
            operations.append("}")
        } catch {
            operations.append("} fails")
            model = before
        }
    }

    /// The first failure inside a batch or a snapshot.
    private var innerProblem: String?

    private func check(_ cache: some ReadableCache) {
        innerProblem =
            innerProblem ?? problem(with: model) { cache.freshness(of: Station.self, id: $0) }
    }

    private func changeObservations() {
        let id = anyID()
        if random.oneIn(3) {
            operations.append("change the observation of the type")
            if let typeToken {
                typeToken.dispose()
                self.typeToken = nil
            } else {
                typeToken = cache.observeAll(Station.self) { [reported] commit in
                    for change in commit.changes where change.kind == .becameStale {
                        reported.append(change.id)
                    }
                }
            }
        } else if let token = observed.removeValue(forKey: id) {
            operations.append("no longer observe \(id)")
            token.dispose()
        } else {
            operations.append("observe \(id)")
            observed[id] = cache.cached(Station.self, id: id).observeChanges { [reported] change in
                if change.kind == .becameStale { reported.append(change.id) }
            }
        }
    }

    /// Writes under a snapshot, which keeps the freshness of its values.
    private func openSnapshot() {
        operations.append("snapshot {")
        cache.withSnapshot { snapshot in
            let frozen = model
            for _ in 0..<random.below(5) { operate(isInSnapshot: true) }
            innerProblem =
                innerProblem
                ?? problem(with: frozen, comparesTimes: false) {
                    snapshot.freshness(of: Station.self, id: $0)
                }
        }
        operations.append("}")
    }

    /// Adds and removes so many values that segments are divided and joined.
    private func grow() {
        operations.append("grow and shrink")
        let ids = 1_000..<1_000 + random.below(800)
        cache.set(contentsOf: ids.map { Station(id: $0) })
        cache.performBatchUpdates { batch in
            for id in ids { batch.remove(Station.self, id: id) }
        }
    }

    // MARK: Checks

    /// Compares the freshness of all entities with a model.
    ///
    /// - Parameters:
    ///   - model: The model.
    ///   - comparesTimes: If `false`, the times since which values are fresh may differ: storing an
    ///     equal value renews it, also for open snapshots.
    private func problem(
        with model: FreshnessModel,
        comparesTimes: Bool = true,
        _ freshness: (Int) -> Freshness
    ) -> String? {
        if let innerProblem { return innerProblem }
        for id in 0..<Self.idCount {
            let found = freshness(id)
            let expected = model.freshness(of: id)
            counts.add(expected.isStale ? "stale" : expected.isFresh ? "fresh" : "missing")
            if found == expected { continue }
            if !comparesTimes, found.isFresh, expected.isFresh { continue }
            return "\(id) is \(found) instead of \(expected)"
        }
        return nil
    }
}
