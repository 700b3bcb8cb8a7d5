import FlatCache

@testable import FlatCacheTestSupport

/// A generator of the operations for a seed.
struct ModelGenerator {
    private var random: SplitMix64
    var parameters: ModelParameters

    init(seed: Seed) {
        random = SplitMix64(seed: seed)
        parameters = ModelParameters(&random)
    }

    /// Returns a sequence of operations, of which the first fill and observe the cache.
    mutating func operations(count: Int) -> [ModelOperation] {
        var operations = ModelKey.Kind.allCases.map { kind in
            let keys = parameters.keys.filter { $0.kind == kind }
            return ModelOperation.setAll(kind, keys.map { record(of: $0) }, .cache)
        }
        for slot in 0..<parameters.slotCount / 2 {
            operations.append(.observe(slot: slot, observation(depth: 0)))
        }
        while operations.count < count { operations.append(operation(depth: 0)) }
        return Array(operations.prefix(count))
    }

    /// Returns an operation at a nesting depth.
    private mutating func operation(depth: Int) -> ModelOperation {
        switch sort(depth: depth) {
        case .set: .set(record(), random.pick(ModelAccess.allCases))
        case .setAll: setAll()
        case .replace: .replace(record(), random.pick(ModelAccess.allCases))
        case .update: .update(update(depth: depth))
        case .remove: .remove(key(), random.pick(ModelAccess.allCases))
        case .removeKind: .removeKind(kind(), random.pick(ModelAccess.allCases))
        case .removeAll: .removeAll(random.pick(ModelAccess.allCases))
        case .prune: .prune
        case .batch: .batch(batch(depth: depth))
        case .observe:
            .observe(slot: random.below(parameters.slotCount), observation(depth: depth))
        case .dispose:
            .dispose(slot: random.below(parameters.slotCount), byDropping: random.oneIn(3))
        case .snapshot: .snapshot(operations(in: 1...parameters.snapshotLength, depth: depth))
        case .dropHandles: .dropHandles
        }
    }

    private mutating func sort(depth: Int) -> ModelOperationSort {
        let weights = parameters.weights.filter { depth < 3 || !$0.choice.isNesting }
        return random.pick(weighted: weights)
    }

    private mutating func operations(
        in range: ClosedRange<Int>,
        depth: Int
    ) -> [ModelOperation] {
        // Deeper levels have fewer operations, so that nested operations don't outnumber the
        // others.
        (0..<max(1, random.number(in: range) - 2 * depth)).map { _ in operation(depth: depth + 1) }
    }

    private mutating func update(depth: Int) -> ModelUpdate {
        let record = record()
        return ModelUpdate(
            key: record.key,
            label: record.label,
            links: record.links,
            access: random.pick(ModelAccess.allCases),
            inside: depth < 2 && random.oneIn(2) ? operations(in: 1...3, depth: depth) : [],
            outcome: outcome()
        )
    }

    private mutating func batch(depth: Int) -> ModelBatch {
        ModelBatch(
            inside: operations(in: 1...7, depth: depth),
            outcome: outcome(),
            hasCompletion: random.oneIn(4)
        )
    }

    private mutating func outcome() -> ModelOutcome {
        random.pick([.returns, .returns, .returns, .returns, .throwsCaught, .throwsUncaught])
    }

    private mutating func observation(depth: Int) -> ModelObservation {
        let hasReactions = depth < 2 && random.oneIn(3)
        return ModelObservation(
            key: key(),
            form: random.oneIn(3) ? .values : .changes,
            access: random.pick(ModelObservation.Access.allCases),
            following: random.pick([
                .allRelationships, .allRelationships, .allRelationships, .allRelationships,
                .none, .levels(0), .levels(1), .levels(2), .levels(3), .levels(1000),
            ]),
            isInitial: random.oneIn(3),
            isRemote: !hasReactions && random.oneIn(3),
            reactions: hasReactions ? operations(in: 1...3, depth: depth) : []
        )
    }

    private mutating func setAll() -> ModelOperation {
        let kind = kind()
        let count = random.below(parameters.burst + 1)
        let first = random.below(parameters.keyCount(of: kind))
        // Random keys repeat. Consecutive ones are distinct and cover more of the keys.
        let isRow = random.oneIn(2)
        let records = (0..<count).map { index in
            let number = (first + index) % parameters.keyCount(of: kind)
            return record(of: isRow ? ModelKey(kind: kind, number: number) : key(of: kind))
        }
        return .setAll(kind, records, random.pick(ModelAccess.allCases))
    }

    // MARK: Values

    private mutating func kind() -> ModelKey.Kind {
        random.pick([.page, .page, .tag, .draft])
    }

    private mutating func key() -> ModelKey { key(of: kind()) }

    private mutating func key(of kind: ModelKey.Kind) -> ModelKey {
        ModelKey(kind: kind, number: random.below(parameters.keyCount(of: kind)))
    }

    private mutating func record() -> ModelRecord { record(of: key()) }

    private mutating func record(of key: ModelKey) -> ModelRecord {
        ModelRecord(
            key: key,
            label: random.oneIn(4) ? nil : random.below(3),
            links: random.oneIn(6) ? nil : links(of: key),
            stamp: key.kind == .page ? 0 : random.below(2)
        )
    }

    private mutating func links(of key: ModelKey) -> [ModelKey] {
        (0..<random.number(in: parameters.linkMinimum...parameters.linkLimit)).map { _ in
            switch parameters.links {
            case .random:
                return self.key()
            case .rings:
                // A few relationships lead to the ring of another type.
                if random.oneIn(6) { return self.key() }
                let next = key.number + random.number(in: 1...2)
                return ModelKey(kind: key.kind, number: next % parameters.keyCount(of: key.kind))
            }
        }
    }
}
