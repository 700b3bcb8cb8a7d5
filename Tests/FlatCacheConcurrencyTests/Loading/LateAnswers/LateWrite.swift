@testable import FlatCache
@testable import FlatCacheTestSupport

/// A write to the entity 1 while its load is running.
enum LateWrite: String, CaseIterable, Sendable {
    case set, setEqual, setMissing, setContentsOf, update, replace, handle, ingest
    case batch, innerBatch, failedBatch, failedInnerBatch
    case setAfterRemoval, setAfterInvalidation, setAndRemoval, setAfterRemovalInBatch
    case remove, removeMissing, handleNil, removeOwner, removeType, removeMissingOfType
    case removeEverything, removeEverythingOfUnknownType
    case removeInFailedBatch, removeMissingInFailedBatch, removeTypeInFailedBatch
    case removeEverythingInFailedBatch
    case invalidate, invalidateType, invalidateWhere, invalidateMissing, invalidateMissingOfType
    case invalidateInBatch, invalidateInFailedBatch, invalidateTypeInFailedBatch
    case eviction, expiry, pruning, staleness, writesToOthers

    /// The effect of a write on the entity, which the answer must not undo.
    enum Effect { case stored, removed, invalidated, none }

    private struct Failure: Error {}

    var effect: Effect {
        switch self {
        case .set, .setEqual, .setMissing, .setContentsOf, .update, .replace, .handle, .ingest,
            .batch, .innerBatch, .setAfterRemoval, .setAfterInvalidation, .setAfterRemovalInBatch:
            .stored
        case .setAndRemoval, .remove, .removeMissing, .handleNil, .removeOwner, .removeType,
            .removeMissingOfType, .removeEverything, .removeEverythingOfUnknownType:
            .removed
        case .invalidate, .invalidateType, .invalidateWhere, .invalidateMissing,
            .invalidateMissingOfType, .invalidateInBatch:
            .invalidated
        case .failedBatch, .failedInnerBatch, .removeInFailedBatch, .removeMissingInFailedBatch,
            .removeTypeInFailedBatch, .removeEverythingInFailedBatch, .invalidateInFailedBatch,
            .invalidateTypeInFailedBatch, .eviction, .expiry, .pruning, .staleness,
            .writesToOthers:
            .none
        }
    }

    /// A Boolean value that indicates whether the entity doesn't exist before.
    var startsMissing: Bool {
        switch self {
        case .setMissing, .removeMissing, .removeMissingOfType, .removeEverythingOfUnknownType,
            .removeMissingInFailedBatch, .invalidateMissing, .invalidateMissingOfType:
            true
        default: false
        }
    }

    /// A Boolean value that indicates whether the entity is removed and stored again.
    var isAfterRemoval: Bool { self == .setAfterRemoval || self == .setAfterRemovalInBatch }

    /// A Boolean value that indicates whether values have to become stale and expire.
    var needsLifetimes: Bool { self == .expiry || self == .staleness }

    func perform<Entity: LateEntity>(
        on cache: Cache,
        _ clock: SleeplessClock,
        _ type: Entity.Type
    ) {
        let new = Entity("new")
        switch self {
        case .set, .setMissing: cache.set(new)
        case .setEqual: cache.set(Entity("old"))
        case .setContentsOf: cache.set(contentsOf: [new])
        case .update: cache.update(type, id: 1) { $0.text = "new" }
        case .replace: cache.replace(new)
        case .handle: cache.cached(type, id: 1).value = new
        case .ingest: cache.ingest { Ingestion.current?.collect(new) }
        case .batch: cache.performBatchUpdates { batch in batch.set(new) }
        case .innerBatch:
            cache.performBatchUpdates { _ in cache.performBatchUpdates { $0.set(new) } }
        case .failedBatch: fail(on: cache) { $0.set(new) }
        case .failedInnerBatch:
            cache.performBatchUpdates { batch in
                fail(on: cache) { inner in
                    inner.set(new)
                    inner.remove(type, id: 1)
                    inner.invalidate(type)
                }
                batch.set(Entity(id: 2, text: nil, detail: nil))
            }
        case .setAfterRemoval:
            cache.remove(type, id: 1)
            cache.set(new)
        case .setAfterInvalidation:
            cache.invalidate(type)
            cache.set(new)
        case .setAndRemoval:
            cache.set(new)
            cache.remove(type, id: 1)
        case .setAfterRemovalInBatch:
            cache.performBatchUpdates { batch in
                batch.invalidate(type, id: 1)
                batch.removeAll(type)
                batch.set(new)
            }
        default: withdraw(on: cache, clock, type)
        }
    }

    private func withdraw<Entity: LateEntity>(
        on cache: Cache,
        _ clock: SleeplessClock,
        _ type: Entity.Type
    ) {
        switch self {
        case .remove, .removeMissing: cache.remove(type, id: 1)
        case .handleNil: cache.cached(type, id: 1).value = nil
        case .removeOwner:
            cache.set(LateOwner<Entity>(id: 1))
            cache.remove(LateOwner<Entity>.self, id: 1)
        case .removeType, .removeMissingOfType: cache.removeAll(type)
        case .removeEverything, .removeEverythingOfUnknownType: cache.removeAll()
        case .removeInFailedBatch, .removeMissingInFailedBatch:
            fail(on: cache) { $0.remove(type, id: 1) }
        case .removeTypeInFailedBatch: fail(on: cache) { $0.removeAll(type) }
        case .removeEverythingInFailedBatch: fail(on: cache) { $0.removeAll() }
        case .invalidate, .invalidateMissing: cache.invalidate(type, id: 1)
        case .invalidateType, .invalidateMissingOfType: cache.invalidate(type)
        case .invalidateWhere: cache.invalidate(type) { $0.id == 1 }
        case .invalidateInBatch: cache.performBatchUpdates { $0.invalidate(type, id: 1) }
        case .invalidateInFailedBatch: fail(on: cache) { $0.invalidate(type, id: 1) }
        case .invalidateTypeInFailedBatch: fail(on: cache) { $0.invalidate(type) }
        case .eviction: cache.trim(to: .count(0))
        case .expiry:
            clock.advance(by: .seconds(250))
            cache.expireValues()
        case .pruning: cache.pruneUnobservedValues()
        case .staleness:
            clock.advance(by: .seconds(150))
            cache.expireValues()
        default:
            cache.set(Entity(id: 2, text: "other", detail: nil))
            cache.remove(type, id: 2)
            cache.invalidate(type, id: 2)
            cache.removeAll(LateOwner<Entity>.self)
        }
    }

    /// Performs a batch that is rolled back.
    private func fail(on cache: Cache, _ body: (CacheBatch) -> Void) {
        try? cache.performBatchUpdates { batch in
            body(batch)
            throw Failure()
        }
    }
}
