import FlatCache

@testable import FlatCacheTestSupport

/// A model of the cache that implements its contract in the simplest way, without regard to cost.
final class NaiveCache: ModelSubject, @unchecked Sendable {
    // Only one thread uses an instance.

    typealias Contents = [ModelKey: ModelRecord]

    /// An open transaction, or a nested one that can be rolled back alone, with a copy of all
    /// contents.
    struct Level {
        var contents: Contents
        var written: Set<ModelKey> = []
        var completions: [@Sendable () -> Void] = []
        /// A Boolean value that indicates whether a batch rather than an update opened the level.
        var isBatch = false
    }

    var version: UInt64 = 0
    var committed: Contents = [:]
    var levels: [Level] = []
    var observations: [NaiveObservation] = []
    var outbox: [@Sendable () -> Void] = []
    var isDelivering = false
    var snapshots: [(version: UInt64, contents: Contents)] = []

    var isInTransaction: Bool { !levels.isEmpty }

    /// The contents with the writes of the open transaction.
    var current: Contents { levels.last?.contents ?? committed }

    // MARK: Writing

    func set(_ record: ModelRecord, through access: ModelAccess) -> ModelRecord? {
        let stored = write { store(record, merging: true) }
        return access == .handle ? nil : stored
    }

    func set(
        contentsOf records: [ModelRecord],
        of kind: ModelKey.Kind,
        through access: ModelAccess
    ) -> [ModelRecord] {
        write { records.map { store($0, merging: true) } }
    }

    func replace(_ record: ModelRecord, through access: ModelAccess) -> ModelRecord {
        write { store(record, merging: false) }
    }

    func update(
        _ key: ModelKey,
        through access: ModelAccess,
        _ body: (inout ModelRecord) throws -> Void
    ) throws -> ModelRecord? {
        try transact(asBatch: false) {
            guard var record = current[key] else { return nil }
            try body(&record)
            return store(record, merging: false)
        }
    }

    func remove(_ key: ModelKey, through access: ModelAccess) -> ModelRecord? {
        let removed = write { take(key) }
        return access == .handle ? nil : removed
    }

    func removeAll(_ kind: ModelKey.Kind, through access: ModelAccess) -> Int {
        write { current.keys.filter { $0.kind == kind }.compactMap { take($0) }.count }
    }

    func removeAll(through access: ModelAccess) -> Int {
        write { current.keys.compactMap { take($0) }.count }
    }

    func prune() -> Int {
        write {
            let reached = reachedKeys(in: current)
            return current.keys.filter { !reached.contains($0) }.compactMap { take($0) }.count
        }
    }

    func performBatch(completion: (@Sendable () -> Void)?, _ body: () throws -> Void) throws {
        try transact(asBatch: true) {
            try body()
            if let completion { levels[levels.count - 1].completions.append(completion) }
        }
    }

    private func store(_ record: ModelRecord, merging: Bool) -> ModelRecord {
        var result = record
        if let existing = current[record.key] {
            if merging, record.key.kind == .page { result = existing.merged(with: record) }
            if areEqual(existing, result) { return existing }
        }
        levels[levels.count - 1].contents[record.key] = result
        levels[levels.count - 1].written.insert(record.key)
        return result
    }

    private func take(_ key: ModelKey) -> ModelRecord? {
        guard let record = current[key] else { return nil }
        levels[levels.count - 1].contents[key] = nil
        levels[levels.count - 1].written.insert(key)
        return record
    }

    func areEqual(_ left: ModelRecord, _ right: ModelRecord) -> Bool {
        switch left.key.kind {
        case .page: left == right
        case .tag: left.isEqualButForStamp(to: right)
        case .draft: false
        }
    }

    // MARK: Transactions

    /// Runs a closure that can't throw, in the open transaction or in one of its own.
    private func write<Result>(_ body: () -> Result) -> Result {
        if isInTransaction { return body() }
        levels.append(Level(contents: committed))
        let result = body()
        commit()
        deliver()
        return result
    }

    /// Runs a closure in a transaction, and rolls back if the closure throws.
    private func transact<Result>(asBatch: Bool, _ body: () throws -> Result) throws -> Result {
        levels.append(Level(contents: current, isBatch: asBatch))
        let result: Result
        do {
            result = try body()
        } catch {
            levels.removeLast()
            if levels.isEmpty { deliver() }
            throw error
        }
        if levels.count == 1 {
            commit()
            deliver()
        } else {
            let inner = levels.removeLast()
            levels[levels.count - 1].contents = inner.contents
            levels[levels.count - 1].written.formUnion(inner.written)
            levels[levels.count - 1].completions += inner.completions
        }
        return result
    }

    private func commit() {
        let level = levels.removeLast()
        var contents = level.contents
        var changed: Set<ModelKey> = []
        for key in level.written {
            switch (committed[key], contents[key]) {
            case (nil, nil):
                break
            case (let old?, let new?) where areEqual(old, new):
                contents[key] = old
            default:
                changed.insert(key)
            }
        }
        if !changed.isEmpty {
            let before = committed
            committed = contents
            version += 1
            notify(of: changed, before: before)
        }
        outbox += level.completions
    }

    func deliver() {
        guard !isDelivering else { return }
        isDelivering = true
        while !outbox.isEmpty { outbox.removeFirst()() }
        isDelivering = false
    }
}
