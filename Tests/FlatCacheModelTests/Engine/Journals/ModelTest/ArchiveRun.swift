import TestSupport

@testable import FlatCache
@testable import FlatCacheTestSupport

/// A cache with limits and an archive, beside the state that the archive must have.
struct ArchiveRun: ModelComparison {
    private let cache: Cache
    private let clock = SleeplessClock()
    private let archive = Archive<Profile>()
    private var tokens: [Disposable] = []
    private var model: NaiveArchive
    private let limit: Int?

    init(seed: Seed) {
        var random = SplitMix64(seed: seed, stream: 1)
        let isTimed = random.oneIn(2)
        limit = random.oneIn(3) ? nil : random.number(in: 0...5)
        model = NaiveArchive(lifetime: isTimed ? 60 : nil)
        var configuration = CacheConfiguration(clock: clock)
        if isTimed || limit != nil {
            configuration.limit(
                Profile.self,
                limit.map { .count($0) } ?? .unlimited,
                staleAfter: isTimed ? .seconds(60) : .never,
                expires: random.oneIn(2) ? .afterAccess(.seconds(100)) : .never
            )
        }
        cache = Cache(configuration: configuration)
        archive.attach(to: cache)
    }

    private var stored: Set<Int> { Set(cache.ids(of: Profile.self)) }

    mutating func difference(after operation: ArchiveOperation) -> String? {
        perform(operation)
        cache.core.checkInvariants()
        guard case .flush(_, false) = operation else { return nil }
        return flushedDifference()
    }

    mutating func finalDifference() -> String? { difference(after: .flush([], fails: false)) }

    // MARK: Operations

    private mutating func perform(_ operation: ArchiveOperation) {
        switch operation {
        case .batch(let operations, let isThrowing):
            let before = model
            try? cache.performBatchUpdates { _ in
                for operation in operations { write(operation) }
                if isThrowing { throw CancellationError() }
            }
            if isThrowing { model = before }
        case .observe(let id): tokens = [cache.cached(Profile.self, id: id).observe { _ in }]
        case .prune: cache.pruneUnobservedValues()
        case .trim: cache.trim(to: .count(2))
        case .advance(let seconds):
            clock.advance(by: .seconds(seconds))
            cache.expireValues()
            model.perform(operation, stored: [])
        case .flush(let operations, let fails): flush(operations, fails: fails)
        case .restore(let ids): archive.restore(ids)
        default: write(operation)
        }
    }

    /// Performs a write, which may be part of a batch.
    private mutating func write(_ operation: ArchiveOperation) {
        var unwritten = NaiveArchive.Unwritten()
        // A batch reads its own writes only through itself.
        let stored = cache.performBatchUpdates { batch in Set(batch.ids(of: Profile.self)) }
        switch operation {
        case .set(let profile): cache.set(profile)
        case .replace(let profile): cache.replace(profile)
        case .update(let id, let name): cache.update(Profile.self, id: id) { $0.name = name }
        case .remove(let id): cache.remove(Profile.self, id: id)
        case .removeAll: cache.removeAll(Profile.self)
        case .removeEverything: cache.removeAll()
        case .invalidate(let id): cache.invalidate(Profile.self, id: id)
        case .invalidateAll: cache.invalidate(Profile.self)
        case .renewAll: cache.set(contentsOf: cache.values(of: Profile.self))
        case .importValue(let profile):
            unwritten = self.unwritten(profile.id)
            archive.rows.withLock { $0[profile.id] = row(of: profile) }
            archive.access.write(.writing) { $0.set(profile) }
        case .importRemoval(let id):
            unwritten = self.unwritten(id)
            archive.rows.withLock { $0[id] = nil }
            archive.access.write(.writing) { $0.remove(Profile.self, id: id) }
        default: perform(operation)
        }
        model.perform(operation, stored: stored, unwritten: unwritten)
    }

    private func unwritten(_ id: Int) -> NaiveArchive.Unwritten {
        let (journal, table) = (archive.journal, archive.journal.table)
        return cache.core.withWriterLock("unwritten(_:)") { _ in
            NaiveArchive.Unwritten(
                isListed: journal.isPending(id, table.entryID(id: id, hash: table.hash(of: id))),
                isOverwritten: journal.isOverwritten(id),
                isInvalidated: journal.isInvalidated(id),
                value: table.writtenValue(id: id)
            )
        }
    }

    private func row(of profile: Profile) -> Archive<Profile>.Row {
        .init(value: profile, freshness: StoredFreshness(age: .zero), time: archive.access.now)
    }

    private mutating func flush(_ operations: [ArchiveOperation], fails: Bool) {
        if fails {
            archive.access.withSnapshot(taking: [archive.journal]) { _ in }
            for operation in operations { perform(operation) }
            archive.access.putBack([archive.journal])
            return
        }
        archive.flush {
            for operation in operations { perform(operation) }
        }
        // The flush has written the state before these operations.
        if !operations.isEmpty { archive.flush() }
    }

    // MARK: Comparison

    private func flushedDifference() -> String? {
        let rows = archive.rows.withLock { $0 }
        let values = rows.mapValues(\.value)
        let expected = model.rows.mapValues(\.value)
        if values != expected { return "the archive has \(values), not \(expected)" }
        let stale = Set(rows.filter { isStale($0.value) }.keys)
        if stale != model.staleIDs {
            return "the rows \(stale.sorted()) are stale, not \(model.staleIDs.sorted())"
        }
        for value in cache.values(of: Profile.self) {
            if value != expected[value.id] {
                return "memory has \(value), not \(String(describing: expected[value.id]))"
            }
            let freshness = cache.freshness(of: Profile.self, id: value.id)
            if freshness.isStale != model.isStale(value.id) {
                return "memory has \(value.id) as \(freshness)"
            }
        }
        guard let limit else { return nil }
        let count = cache.count(of: Profile.self)
        return count > limit + 1 ? "memory has \(count) entities" : nil
    }

    private func isStale(_ row: Archive<Profile>.Row) -> Bool {
        let freshness = row.freshness(at: archive.access.now)
        if freshness.staleFor != nil { return true }
        guard let lifetime = model.lifetime, let age = freshness.age else { return false }
        return age >= .seconds(lifetime)
    }
}
