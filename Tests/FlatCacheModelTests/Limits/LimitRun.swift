@testable import FlatCache
@testable import FlatCacheTestSupport

/// A run of the model test of limits, with a cache and its model.
///
/// The model doesn't predict which value is evicted. It follows the removals that the cache
/// reports, and checks that each has a valid reason and that no value stays too long.
final class LimitRun: RandomRun, @unchecked Sendable {
    // Only one thread uses an instance, and the cache calls its observers on that thread.

    /// A stored value in the model.
    private struct Stored: Equatable {
        var value: Station
        /// The time of the last write, in seconds.
        var time: Int
        var isStale = false
    }

    private let clock = SleeplessClock()
    private let cache: Cache
    private var random: SplitMix64
    private var now = 0
    private let lifetime: Int
    private var limit: Int
    private let expires: Bool

    private var stored: [Int: Stored] = [:]
    private var observed: [(id: Int, token: Disposable)] = []
    private var pinned: [(id: Int, token: Disposable)] = []
    private var listed: [Int] = []
    private let commits = Recorder<TypeChanges<Station>>()
    private var seenCommits = 0
    private var token: Disposable?

    /// The descriptions of the operations so far.
    private(set) var operations: [String] = []
    /// The numbers of removed values for each reason, and of values that became stale.
    let counts = EventCounts()

    /// Creates a run.
    ///
    /// - Parameters:
    ///   - seed: The seed of the operations.
    ///   - isLoading: Whether a load is running all the time.
    init(seed: Seed, isLoading: Bool) {
        random = SplitMix64(seed: seed)
        limit = random.number(in: 0...12)
        lifetime = random.number(in: 1...20)
        expires = random.oneIn(2)
        var configuration = CacheConfiguration(clock: clock)
        configuration.segmentSize = .small
        let cacheLimit: CacheLimit<Station> =
            random.oneIn(2) ? .count(limit) : .cost(limit, of: { _ in 1 })
        configuration.limit(
            Station.self,
            cacheLimit,
            expires: expires ? .afterWrite(.seconds(lifetime)) : .never
        )
        cache = Cache(configuration: configuration)
        if isLoading { cache.beginEndlessLease() }
        token = cache.observeAll(Station.self) { [commits] in commits.append($0) }
    }

    private static let idCount = 24

    private func anyID() -> Int { random.below(Self.idCount) }

    private func station() -> Station {
        Station(
            id: anyID(),
            revision: random.below(3),
            next: (0..<random.below(3)).map { _ in anyID() }
        )
    }

    // MARK: Values in use

    /// The entities that observations reach.
    private var reached: Set<Int> {
        var reached: Set<Int> = []
        var waiting = observed.map(\.id)
        while let id = waiting.popLast() {
            guard reached.insert(id).inserted else { continue }
            waiting += stored[id]?.value.next ?? []
        }
        return reached
    }

    private var inUse: Set<Int> { reached.union(pinned.map(\.id)).union(listed) }

    // MARK: Steps

    /// Performs a random operation, and returns a description of the failure, or `nil`.
    func step() -> String? {
        // Only values in use both before and after the operation must stay.
        let usedBefore = inUse
        let version = cache.version
        let (name, written) = operate()
        operations.append(name)
        return problem(after: name, written, usedBefore, isCommitted: cache.version > version)
    }

    private func operate() -> (name: String, written: Set<Int>) {
        switch random.below(20) {
        case 0..<7:
            let value = station()
            cache.set(value)
            note(value)
            return ("set \(value)", [value.id])
        case 7:
            let values = (0..<random.below(30)).map { _ in station() }
            cache.set(contentsOf: values)
            for value in values { note(value) }
            return ("set all of \(values)", Set(values.map(\.id)))
        case 8:
            let id = anyID()
            cache.remove(Station.self, id: id)
            return ("remove \(id)", [])
        case 9, 10:
            let id = anyID()
            observed.append((id, cache.cached(Station.self, id: id).observe { _ in }))
            return ("observe \(id)", [])
        case 11, 12:
            if observed.isEmpty { return ("nothing", []) }
            let (id, token) = observed.remove(at: random.below(observed.count))
            token.dispose()
            return ("no longer observe \(id)", [])
        case 13:
            if pinned.count > 3 {
                pinned.removeFirst().token.dispose()
                return ("unpin", [])
            }
            let id = anyID()
            pinned.append((id, cache.pin(Station.self, id: id)))
            return ("pin \(id)", [])
        case 14:
            listed = (0..<random.below(4)).map { _ in anyID() }
            cache.list("list", of: Station.self).ids = listed
            return ("list \(listed)", [])
        case 15:
            for _ in 0..<5 { _ = cache.get(Station.self, id: anyID()) }
            return ("read", [])
        case 16, 17:
            let seconds = random.number(in: 1...10)
            now += seconds
            clock.advance(by: .seconds(seconds))
            cache.expireValues()
            return ("let \(seconds) s pass", [])
        case 18:
            return operateRarely()
        default:
            return batch()
        }
    }

    private func operateRarely() -> (name: String, written: Set<Int>) {
        switch random.below(4) {
        case 0:
            cache.pruneUnobservedValues()
            // Pruning removes the unobserved list.
            listed = []
            return ("prune", [])
        case 1:
            cache.trim(to: .count(random.below(10)))
            return ("trim", [])
        case 2 where !expires:
            limit = random.number(in: 0...12)
            cache.limit(Station.self, .count(limit))
            return ("limit to \(limit)", [])
        default:
            cache.withSnapshot { _ in
                let value = station()
                cache.set(value)
                note(value)
            }
            return ("set under a snapshot", Set(stored.keys))
        }
    }

    private func batch() -> (name: String, written: Set<Int>) {
        struct Failure: Error {}
        let fails = random.oneIn(3)
        let values = (0..<random.below(6)).map { _ in station() }
        let removed = anyID()
        try? cache.performBatchUpdates { batch in
            batch.remove(Station.self, id: removed)
            for value in values { batch.set(value) }
            if fails { throw Failure() }
        }
        if fails { return ("batch that fails", []) }
        for value in values { note(value) }
        return ("batch: remove \(removed), set \(values)", Set(values.map(\.id)))
    }

    private func note(_ value: Station) { stored[value.id] = Stored(value: value, time: now) }

    // MARK: Checks

    private func problem(
        after name: String,
        _ written: Set<Int>,
        _ usedBefore: Set<Int>,
        isCommitted: Bool
    ) -> String? {
        // The next holder of the writers' lock completes the end of an observation.
        cache.core.doDeferredWorkIfIdle()
        cache.core.checkInvariants()
        var problems: [String] = []
        for commit in commits.all.dropFirst(seenCommits) {
            problems += commit.changes.compactMap { follow($0, usedBefore) }
        }
        seenCommits = commits.count
        let used = inUse
        // A value that is stored and removed in one commit isn't reported.
        for id in written where cache.get(Station.self, id: id) == nil {
            if used.contains(id), stored[id] != nil {
                problems.append("\(id) was in use but was removed")
            }
            stored[id] = nil
        }
        problems += contentProblems(used)
        if cache.count(of: Station.self) > limit, isCommitted, !written.isEmpty {
            let spared = Set(stored.keys).subtracting(used).subtracting(written)
            if !spared.isEmpty { problems.append("above \(limit) with \(spared) not in use") }
        }
        return problems.isEmpty ? nil : "after \(name): " + problems.joined(separator: "; ")
    }

    /// Applies a reported change to the model, and returns a description of the failure, or `nil`.
    private func follow(_ change: EntityChange<Station>, _ usedBefore: Set<Int>) -> String? {
        let id = change.id
        switch change.kind {
        case .removed(let reason):
            counts.add("\(reason)")
            if reason != .explicit, usedBefore.contains(id), inUse.contains(id) {
                return "\(id) was \(reason) though it was in use"
            }
            if reason == .expired, let time = stored[id]?.time, !expires || now - time < lifetime {
                return "\(id) expired too early"
            }
            stored[id] = nil
        case .becameStale:
            counts.add("stale")
            guard let time = stored[id]?.time, expires, now - time >= lifetime else {
                return "\(id) became stale too early"
            }
            if !usedBefore.contains(id) { return "\(id) became stale though it was not in use" }
            stored[id]?.isStale = true
        case .inserted, .updated: break
        case .related: return "an observer of the type received \(change.kind)"
        }
        return nil
    }

    private func contentProblems(_ used: Set<Int>) -> [String] {
        var problems: [String] = []
        for id in 0..<Self.idCount {
            let value = cache.get(Station.self, id: id)
            if value != stored[id]?.value {
                problems.append("\(id) is \(value as Any) instead of \(stored[id] as Any)")
            }
            if cache.freshness(of: Station.self, id: id).isStale != stored[id]?.isStale ?? false {
                problems.append("\(id) is fresh or stale, and should not be")
            }
            // The cache has read the clock after each advance.
            if expires, let stored = stored[id], now - stored.time >= lifetime, !stored.isStale {
                problems.append("\(id) should have expired")
            }
        }
        let count = cache.count(of: Station.self)
        if count != stored.count {
            problems.append("the count is \(count) instead of \(stored.count)")
        }
        return problems
    }
}
