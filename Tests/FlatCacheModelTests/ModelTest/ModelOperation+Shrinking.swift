@testable import FlatCacheTestSupport

extension ModelOperation: RandomOperation {
    var simpler: [ModelOperation] {
        switch self {
        case .set(let record, let access):
            access == .cache ? [] : [.set(record, .cache)]
        case .replace(let record, let access):
            access == .cache ? [] : [.replace(record, .cache)]
        case .remove(let key, let access):
            access == .cache ? [] : [.remove(key, .cache)]
        case .setAll(let kind, let records, let access):
            records.shortened().map { .setAll(kind, $0, access) }
        case .update(let update):
            Self.variants(update)
        case .batch(let batch):
            Self.variants(batch)
        case .observe(let slot, let observation):
            Self.variants(observation).map { .observe(slot: slot, $0) }
        case .snapshot(let inside):
            Self.shrunk(inside).map { .snapshot($0) }
        case .removeKind, .removeAll, .prune, .dispose, .dropHandles:
            []
        }
    }

    /// The operations of its closure, if it has one.
    var inside: [ModelOperation] {
        switch self {
        case .batch(let batch): batch.inside
        case .snapshot(let inside): inside
        case .update(let update): update.inside
        default: []
        }
    }

    private static func variants(_ update: ModelUpdate) -> [ModelOperation] {
        var variants = shrunk(update.inside).map { inside in
            changed(update) { $0.inside = inside }
        }
        if update.outcome != .returns {
            variants.append(changed(update) { $0.outcome = .returns })
        }
        if update.access != .cache { variants.append(changed(update) { $0.access = .cache }) }
        return variants.map { .update($0) }
    }

    private static func variants(_ batch: ModelBatch) -> [ModelOperation] {
        var variants = shrunk(batch.inside).map { inside in
            changed(batch) { $0.inside = inside }
        }
        if batch.outcome != .returns {
            variants.append(changed(batch) { $0.outcome = .returns })
        }
        if batch.hasCompletion { variants.append(changed(batch) { $0.hasCompletion = false }) }
        return variants.map { .batch($0) }
    }

    private static func variants(_ observation: ModelObservation) -> [ModelObservation] {
        var variants = shrunk(observation.reactions).map { reactions in
            changed(observation) { $0.reactions = reactions }
        }
        if observation.isInitial {
            variants.append(changed(observation) { $0.isInitial = false })
        }
        if observation.isRemote {
            variants.append(changed(observation) { $0.isRemote = false })
        }
        if observation.access != .identifier {
            variants.append(changed(observation) { $0.access = .identifier })
        }
        return variants
    }

    private static func changed<Part>(_ part: Part, _ change: (inout Part) -> Void) -> Part {
        var part = part
        change(&part)
        return part
    }
}
