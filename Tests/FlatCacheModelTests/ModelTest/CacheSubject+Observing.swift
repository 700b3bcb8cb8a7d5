@testable import FlatCache
@testable import FlatCacheTestSupport

extension Disposable: ModelToken {}

extension CacheSubject {
    func observe(
        _ request: ModelObservation,
        _ observer: @escaping @Sendable (ModelNotice) -> Void
    ) -> any ModelToken {
        // If calls are pending, the other thread would make them. An observer that writes would
        // then wait for the writers' lock, which this thread may hold.
        guard request.isRemote, cache.core.deliveryQueue.backlog == 0 else {
            return begin(request, observer)
        }
        let token = Locked<Disposable?>(nil)
        let thread = RunningThread { [self] in
            let begun = begin(request, observer)
            token.withLock { $0 = begun }
        }
        guard thread.wait(), let begun = token.withLock({ $0.take() }) else {
            preconditionFailure("Observing waited for another thread.")
        }
        return begun
    }

    private func begin(
        _ request: ModelObservation,
        _ observer: @escaping @Sendable (ModelNotice) -> Void
    ) -> Disposable {
        switch request.form {
        case .values:
            observeValues(request, of: request.key.kind.entity) { observer(.value($0)) }
        case .changes:
            observeChanges(request, of: request.key.kind.entity) { observer(.change($0)) }
        }
    }

    private func observeValues<Entity: ModelEntity>(
        _ request: ModelObservation,
        of type: Entity.Type,
        _ observer: @escaping @Sendable (ModelRecord) -> Void
    ) -> Disposable {
        switch request.access {
        case .identifier:
            cache.cached(type, id: type.id(request.key.number)).following(request.following)
                .observe(initial: request.isInitial) { observer($0.record) }
        case .value:
            cache.cached(type.init(record: ModelRecord(key: request.key)))
                .following(request.following)
                .observe(initial: request.isInitial) { observer($0.record) }
        case .handle:
            handle(of: request.key).observeRecords(
                initial: request.isInitial,
                following: request.following,
                observer
            )
        }
    }

    private func observeChanges<Entity: ModelEntity>(
        _ request: ModelObservation,
        of type: Entity.Type,
        _ observer: @escaping @Sendable (ModelNotice.Change) -> Void
    ) -> Disposable {
        switch request.access {
        case .identifier:
            cache.cached(type, id: type.id(request.key.number)).following(request.following)
                .observeChanges(initial: request.isInitial) { observer(ModelNotice.Change($0)) }
        case .value:
            cache.cached(type.init(record: ModelRecord(key: request.key)))
                .following(request.following)
                .observeChanges(initial: request.isInitial) { observer(ModelNotice.Change($0)) }
        case .handle:
            handle(of: request.key).observeRecordChanges(
                initial: request.isInitial,
                following: request.following,
                observer
            )
        }
    }
}

extension ModelNotice.Change {
    init<Entity: ModelEntity>(_ change: EntityChange<Entity>) {
        self.init(
            key: change.key,
            kind: ModelNotice.Kind(change.kind),
            old: change.old?.record,
            new: change.new?.record,
            causes: change.causes,
            version: change.version
        )
    }
}

extension ModelNotice.Kind {
    init<Entity>(_ kind: EntityChange<Entity>.Kind) {
        self =
            switch kind {
            case .inserted: .inserted
            case .updated: .updated
            case .removed: .removed
            case .becameStale: .becameStale
            case .related: .related
            }
    }
}
