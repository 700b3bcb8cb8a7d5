import FlatCache

@testable import FlatCacheTestSupport

/// An observation of the model.
final class NaiveObservation: ModelToken, @unchecked Sendable {
    // Only one thread uses an instance.
    let request: ModelObservation
    let observer: @Sendable (ModelNotice) -> Void
    private(set) var hasEnded = false

    init(_ request: ModelObservation, _ observer: @escaping @Sendable (ModelNotice) -> Void) {
        self.request = request
        self.observer = observer
    }

    func dispose() { hasEnded = true }

    /// The maximum number of relationships that the observation follows.
    var levelLimit: Int {
        switch request.following {
        case .allRelationships: .max
        case .none: 0
        case .levels(let limit): limit
        }
    }

    func call(with change: ModelNotice.Change) {
        guard !hasEnded else { return }
        switch request.form {
        case .changes:
            observer(.change(change))
        case .values:
            if let value = change.new { observer(.value(value)) }
        }
    }
}

/// The token of an observation of the model.
final class NaiveToken: ModelToken {
    private let observation: NaiveObservation

    init(_ observation: NaiveObservation) {
        self.observation = observation
    }

    deinit { dispose() }

    func dispose() { observation.dispose() }
}

extension NaiveCache {
    func observe(
        _ request: ModelObservation,
        _ observer: @escaping @Sendable (ModelNotice) -> Void
    ) -> any ModelToken {
        let observation = NaiveObservation(request, observer)
        let isRemote = request.isRemote && outbox.isEmpty
        observations.append(observation)
        if request.isInitial, let value = committed[request.key] {
            let change = ModelNotice.Change(
                key: request.key.cacheKey,
                kind: .inserted,
                old: nil,
                new: value,
                causes: [request.key.cacheKey],
                version: version
            )
            outbox.append { observation.call(with: change) }
        }
        if !isInTransaction || isRemote { deliver() }
        return NaiveToken(observation)
    }

    /// Adds the calls that the latest commit causes to the outbox.
    func notify(of changed: Set<ModelKey>, before: Contents) {
        observations.removeAll { $0.hasEnded }
        for observation in observations {
            let key = observation.request.key
            let causes = reach(from: key, levelLimit: observation.levelLimit, in: committed)
                .intersection(changed)
            if causes.isEmpty { continue }
            let change = ModelNotice.Change(
                key: key.cacheKey,
                kind: kind(of: key, changed: changed, before: before),
                old: before[key],
                new: committed[key],
                causes: Set(causes.map(\.cacheKey)),
                version: version
            )
            outbox.append { observation.call(with: change) }
        }
    }

    private func kind(
        of key: ModelKey,
        changed: Set<ModelKey>,
        before: Contents
    ) -> ModelNotice.Kind {
        guard changed.contains(key) else { return .related }
        if before[key] == nil { return .inserted }
        return committed[key] == nil ? .removed : .updated
    }

    /// Returns the keys that observations reach.
    func reachedKeys(in contents: Contents) -> Set<ModelKey> {
        var reached: Set<ModelKey> = []
        for observation in observations where !observation.hasEnded {
            reached.formUnion(
                reach(
                    from: observation.request.key,
                    levelLimit: observation.levelLimit,
                    in: contents
                )
            )
        }
        return reached
    }

    /// Returns the keys that a key reaches within a number of relationships, including keys of
    /// absent entities.
    private func reach(
        from key: ModelKey,
        levelLimit: Int,
        in contents: Contents
    ) -> Set<ModelKey> {
        var reached: Set<ModelKey> = [key]
        var outermost: Set<ModelKey> = [key]
        var level = 0
        while level < levelLimit, !outermost.isEmpty {
            var next: Set<ModelKey> = []
            for key in outermost { next.formUnion(contents[key]?.links ?? []) }
            outermost = next.subtracting(reached)
            reached.formUnion(outermost)
            level += 1
        }
        return reached
    }
}
