@testable import FlatCache
@testable import FlatCacheTestSupport

/// The cache as a subject of the model test.
final class CacheSubject: ModelSubject, @unchecked Sendable {
    // Only one thread uses an instance.

    let cache: Cache
    /// The keys to read after each operation.
    let keys: [ModelKey]
    private var handles: [ModelKey: any ModelHandle] = [:]
    private var batches: [CacheBatch] = []
    private var transactionDepth = 0
    var snapshots: [CacheSnapshot] = []

    init(_ parameters: ModelParameters) {
        keys = parameters.keys
        var configuration = CacheConfiguration(clock: ManualClock())
        configuration.segmentSize = .small
        if parameters.hasLimits {
            configuration.limit(ModelPage.self, .count(1_000), expires: .afterWrite(.seconds(1)))
            configuration.limit(ModelTag.self, .cost(1_000, of: { _ in 1 }))
            configuration.limit(ModelDraft.self, .count(1_000))
        }
        cache = Cache(configuration: configuration)
        if let shortWalkLimit = parameters.shortWalkLimit {
            cache.core.writer.graph.shortWalkLimit = shortWalkLimit
            // Few entities form no long path either.
            cache.core.writer.graph.forest.nearbyLimit = shortWalkLimit
        }
        if parameters.isLoading { cache.beginEndlessLease() }
        if parameters.alwaysSweeps { cache.core.writer.graph.searchStepsPerNode = -1 }
    }

    var isInTransaction: Bool { transactionDepth > 0 }

    var innermostBatch: CacheBatch? { batches.last }

    func handle(of key: ModelKey) -> any ModelHandle {
        if let handle = handles[key] { return handle }
        let handle = handle(of: key.kind.entity, key.number)
        handles[key] = handle
        return handle
    }

    private func handle<Entity: ModelEntity>(
        of type: Entity.Type,
        _ number: Int
    ) -> any ModelHandle {
        cache.cached(type, id: type.id(number))
    }

    func dropHandles() { handles = [:] }

    private func target(_ access: ModelAccess) -> any CacheType {
        switch access {
        case .cache, .handle: cache
        case .batch: batches.last ?? cache
        case .outermostBatch: batches.first ?? cache
        }
    }

    // MARK: Writing

    func set(_ record: ModelRecord, through access: ModelAccess) -> ModelRecord? {
        guard access != .handle else {
            handle(of: record.key).record = record
            return nil
        }
        return set(record, as: record.key.kind.entity, in: target(access))
    }

    private func set<Entity: ModelEntity>(
        _ record: ModelRecord,
        as type: Entity.Type,
        in cache: some CacheType
    ) -> ModelRecord {
        cache.set(type.init(record: record)).record
    }

    func set(
        contentsOf records: [ModelRecord],
        of kind: ModelKey.Kind,
        through access: ModelAccess
    ) -> [ModelRecord] {
        set(contentsOf: records, as: kind.entity, in: target(access))
    }

    private func set<Entity: ModelEntity>(
        contentsOf records: [ModelRecord],
        as type: Entity.Type,
        in cache: some CacheType
    ) -> [ModelRecord] {
        cache.set(contentsOf: records.lazy.map { type.init(record: $0) }).map(\.record)
    }

    func replace(_ record: ModelRecord, through access: ModelAccess) -> ModelRecord {
        replace(record, as: record.key.kind.entity, in: target(access))
    }

    private func replace<Entity: ModelEntity>(
        _ record: ModelRecord,
        as type: Entity.Type,
        in cache: some CacheType
    ) -> ModelRecord {
        cache.replace(type.init(record: record)).record
    }

    func update(
        _ key: ModelKey,
        through access: ModelAccess,
        _ body: (inout ModelRecord) throws -> Void
    ) throws -> ModelRecord? {
        let counted = { (record: inout ModelRecord) throws in
            self.transactionDepth += 1
            defer { self.transactionDepth -= 1 }
            try body(&record)
        }
        return try withoutActuallyEscaping(counted) { counted in
            guard access != .handle else { return try handle(of: key).update(counted) }
            return try update(key.number, of: key.kind.entity, in: target(access), counted)
        }
    }

    private func update<Entity: ModelEntity>(
        _ number: Int,
        of type: Entity.Type,
        in cache: some CacheType,
        _ body: (inout ModelRecord) throws -> Void
    ) throws -> ModelRecord? {
        try cache.update(type, id: type.id(number)) { try body(&$0.record) }?.record
    }

    func remove(_ key: ModelKey, through access: ModelAccess) -> ModelRecord? {
        guard access != .handle else {
            handle(of: key).record = nil
            return nil
        }
        return remove(key.number, of: key.kind.entity, in: target(access))
    }

    private func remove<Entity: ModelEntity>(
        _ number: Int,
        of type: Entity.Type,
        in cache: some CacheType
    ) -> ModelRecord? {
        cache.remove(type, id: type.id(number))?.record
    }

    func removeAll(_ kind: ModelKey.Kind, through access: ModelAccess) -> Int {
        removeAll(of: kind.entity, in: target(access))
    }

    private func removeAll<Entity: ModelEntity>(
        of type: Entity.Type,
        in cache: some CacheType
    ) -> Int {
        cache.removeAll(type)
    }

    func removeAll(through access: ModelAccess) -> Int { target(access).removeAll() }

    func prune() -> Int { cache.pruneUnobservedValues() }

    // MARK: Closures

    func performBatch(completion: (@Sendable () -> Void)?, _ body: () throws -> Void) throws {
        let perform = { (batch: CacheBatch) throws in
            self.batches.append(batch)
            self.transactionDepth += 1
            defer {
                self.batches.removeLast()
                self.transactionDepth -= 1
            }
            try body()
        }
        try withoutActuallyEscaping(perform) { perform in
            if let completion {
                try cache.performBatchUpdates(perform, completion: completion)
            } else {
                try cache.performBatchUpdates(perform)
            }
        }
    }

    func withSnapshot(_ body: () throws -> Void) throws {
        try cache.withSnapshot { snapshot in
            snapshots.append(snapshot)
            defer { snapshots.removeLast() }
            try body()
        }
    }
}
