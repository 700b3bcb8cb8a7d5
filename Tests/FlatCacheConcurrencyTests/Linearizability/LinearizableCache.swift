import Testing
@testable import FlatCache
@testable import FlatCacheTestSupport

/// The cache as a subject of histories.
final class LinearizableCache: LinearizabilitySubject {
    private let cache = Cache(configuration: .smallSegments)
    private let handles: [HistoryKey: any HistoryHandle]
    private let observations: [Disposable]
    private let queries: [HistoryQueryKey: any HistoryLiveQuery]
    /// The tokens of the queries that are kept current.
    private let currentQueries: Locked<[HistoryQueryKey: Disposable]>
    /// The observations that calls have begun.
    private let begun = Locked<[HistoryKey: [HistoryObservation]]>([:])

    init(_ plan: HistoryPlan) {
        let cache = cache
        // Half of the histories happen during a load, which makes values not exchanged in place.
        if plan.seed.number.isMultiple(of: 2) { cache.beginEndlessLease() }
        let pauses = Pauses(seed: plan.seed)
        for (key, entries) in plan.initial.contents {
            _ = key.kind.entity.replace(key.number, by: entries, in: cache, pauses)
        }
        handles = Dictionary(
            uniqueKeysWithValues: plan.keys.map {
                ($0, $0.kind.entity.handle($0.number, in: cache, pauses.next()))
            }
        )
        observations = plan.observedKeys.map { $0.kind.entity.observe($0.number, in: cache) }
        let queries = Dictionary(
            uniqueKeysWithValues: HistoryQueryKey.all.map { key in
                (
                    key,
                    key.kind.entity.query(
                        key.query,
                        relatedTo: key.kind.other.entity,
                        of: cache,
                        pausing: pauses.next()
                    )
                )
            }
        )
        self.queries = queries
        currentQueries = Locked(
            Dictionary(
                uniqueKeysWithValues: plan.currentQueries.compactMap { key in
                    queries[key].map { (key, $0.keepCurrent()) }
                }
            )
        )
    }

    var version: UInt64 { cache.version }

    func perform(_ operation: HistoryOperation, _ pauses: Pauses) -> HistoryResult {
        perform(operation, on: cache, pauses)
    }

    /// Makes a call on the cache, or inside the closure of a batch.
    private func perform(
        _ operation: HistoryOperation,
        on target: some CacheType,
        _ pauses: Pauses
    ) -> HistoryResult {
        pauses.take()
        defer { pauses.take() }
        return switch operation {
        case .batch(let steps, let outcome): performBatch(steps, outcome, pauses)
        case .snapshot(let reads): readSnapshot(reads, pauses)
        case .observe(let key): observe(key, pauses)
        case .keepCurrent(let key): keepCurrent(key)
        default:
            switch operation.access {
            case .direct: write(operation, to: target, pauses)
            case .cache: write(operation, to: cache, pauses)
            case .handle, .newHandle: useHandle(operation, pauses)
            case .observations: readObservations(operation, pauses)
            }
        }
    }

    private func performBatch(
        _ steps: [HistoryOperation],
        _ outcome: HistoryOperation.Outcome,
        _ pauses: Pauses
    ) -> HistoryResult {
        do throws(HistoryError) {
            return try cache.performBatchUpdates { batch throws(HistoryError) in
                let results = steps.map { perform($0, on: batch, pauses) }
                if outcome == .fails { throw HistoryError(results: results) }
                return .list(results)
            }
        } catch {
            return .failure(error.results)
        }
    }

    private func observe(_ key: HistoryKey, _ pauses: Pauses) -> HistoryResult {
        let observation = key.kind.entity.beginObservation(of: key.number, in: cache, pauses)
        // Another thread may be about to make the initial call.
        guard blockUntil({ observation.received.count > 0 }) else { return .nothing }
        begun.withLock { $0[key, default: []].append(observation) }
        return .value(observation.received.all[0])
    }

    private func keepCurrent(_ key: HistoryQueryKey) -> HistoryResult {
        if let token = currentQueries.withLock({ $0.removeValue(forKey: key) }) {
            token.dispose()
        } else {
            let token = query(key).keepCurrent()
            let other = currentQueries.withLock { $0.updateValue(token, forKey: key) }
            other?.dispose()
        }
        return .nothing
    }

    private func query(_ key: HistoryQueryKey) -> any HistoryLiveQuery {
        guard let query = queries[key] else {
            preconditionFailure("The subject has no query of \(key).")
        }
        return query
    }

    /// Returns the last entries that the observations of a key received, which must be the final
    /// value.
    private func readObservations(
        _ operation: HistoryOperation,
        _ pauses: Pauses
    ) -> HistoryResult {
        guard case .get(let key, _) = operation else {
            preconditionFailure("An observation doesn't support \(operation)")
        }
        let isQuiet = cache.isSettled()
        let last = begun.withLock { $0[key] ?? [] }.map { $0.received.all.last ?? nil }
        guard isQuiet, Set(last).count <= 1 else { return .list(last.map { .value($0) }) }
        return last.first.map { .value($0) } ?? read(.get(key, .direct), from: cache, pauses)
    }

    private func readSnapshot(_ reads: [HistoryOperation], _ pauses: Pauses) -> HistoryResult {
        cache.withSnapshot { snapshot in
            .list(
                reads.map { operation in
                    pauses.take()
                    return read(operation, from: snapshot, pauses)
                }
            )
        }
    }

    private func read(
        _ operation: HistoryOperation,
        from target: some ReadableCache,
        _ pauses: Pauses
    ) -> HistoryResult {
        switch operation {
        case .get(let key, _):
            .value(key.kind.entity.entries(of: key.number, in: target, pauses))
        case .contains(let key):
            .flag(key.kind.entity.contains(key.number, in: target, pauses))
        case .count(let kind):
            .count(kind.entity.count(in: target))
        case .ids(let kind):
            .list(kind.entity.numbers(in: target).map { .count($0) })
        case .values(let kind):
            .list(kind.entity.allEntries(in: target).map { .value($0) })
        case .query(let key, _):
            .list(query(key).entries(in: target).map { .value($0) })
        default:
            preconditionFailure("\(operation) is not a read.")
        }
    }

    private func write(
        _ operation: HistoryOperation,
        to target: some CacheType,
        _ pauses: Pauses
    ) -> HistoryResult {
        switch operation {
        case .set(let key, let entry, _):
            .value(key.kind.entity.set(entry, in: key.number, of: target, pauses))
        case .setAll(let kind, let values):
            .list(kind.entity.set(contentsOf: values, in: target, pauses).map { .value($0) })
        case .replace(let key, let entries):
            .value(key.kind.entity.replace(key.number, by: entries, in: target, pauses))
        case .append(let key, let entry, _, let outcome):
            key.kind.entity.append(entry, to: key.number, in: target, outcome, pauses)
        case .remove(let key, _):
            .value(key.kind.entity.remove(key.number, in: target, pauses))
        case .removeKind(let kind):
            .count(kind.entity.removeAll(in: target))
        case .removeAll:
            .count(target.removeAll())
        default:
            read(operation, from: target, pauses)
        }
    }

    private func useHandle(_ operation: HistoryOperation, _ pauses: Pauses) -> HistoryResult {
        switch operation {
        case .get(let key, let access):
            return .value(handle(of: key, access, pauses).entries)
        case .set(let key, let entry, let access):
            handle(of: key, access, pauses).set(entry, pauses)
            return .nothing
        case .append(let key, let entry, let access, let outcome):
            return handle(of: key, access, pauses).append(entry, outcome, pauses)
        case .remove(let key, let access):
            handle(of: key, access, pauses).remove()
            return .nothing
        default:
            preconditionFailure("A handle doesn't support \(operation)")
        }
    }

    private func handle(
        of key: HistoryKey,
        _ access: HistoryOperation.Access,
        _ pauses: Pauses
    ) -> any HistoryHandle {
        if access == .handle, let handle = handles[key] { return handle }
        return key.kind.entity.handle(key.number, in: cache, pauses.next())
    }
}
