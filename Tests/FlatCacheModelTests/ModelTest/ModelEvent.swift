import FlatCache

@testable import FlatCacheTestSupport

/// A visible effect of an operation of the model test, from the cache or from the model.
enum ModelEvent: Equatable {
    /// The returned values of a call.
    case returned([ModelRecord?])
    case returnedCount(Int)
    /// The call of an update's closure with the current value.
    case updating(ModelRecord)
    case threw
    /// The call of an observer.
    case notified(observation: Int, ModelNotice)
    /// The call of a batch's completion.
    case completed(batch: Int)
    /// The version and the number of watched entities, outside transactions.
    case overview(version: UInt64, watchedCount: Int)
    /// The contents that reads of the cache, of a batch and of a snapshot return.
    case state([ModelListing], handles: [ModelKey: ModelRecord])
    case batchState([ModelListing])
    case snapshotState(version: UInt64, [ModelListing])

    /// The name of the event's kind, by which events are counted.
    var name: String {
        switch self {
        case .returned, .returnedCount: "returned"
        case .updating: "updating"
        case .threw: "threw"
        case .notified(_, .value): "notified of value"
        case .notified(_, .change(let change)): "notified of \(change.kind)"
        case .completed: "completed"
        case .overview: "overview"
        case .state: "state"
        case .batchState: "batch state"
        case .snapshotState: "snapshot state"
        }
    }
}

/// The value or the change that an observer received.
enum ModelNotice: Equatable, Sendable {
    enum Kind: Sendable {
        case inserted
        case updated
        case removed
        case related
        case becameStale
    }

    struct Change: Equatable, Sendable {
        var key: CacheKey
        var kind: Kind
        var old: ModelRecord?
        var new: ModelRecord?
        var causes: Set<CacheKey>
        var version: UInt64
    }

    case value(ModelRecord)
    case change(Change)
}

/// The result of all reads of one type.
struct ModelListing: Equatable {
    var kind: ModelKey.Kind
    var count: Int
    var ids: Set<ModelKey>
    var values: [ModelKey: ModelRecord]
    /// The value for each key, read by identifier.
    var found: [ModelKey: ModelRecord]
    /// A Boolean value that indicates whether an identifier or a value was listed twice.
    var hasDuplicates = false
}
