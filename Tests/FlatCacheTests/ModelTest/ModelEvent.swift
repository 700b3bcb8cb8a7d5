import FlatCache

/// What an operation of the model test has shown, from the cache or from its model.
enum ModelEvent: Equatable {
    /// What a call returned.
    case returned([ModelRecord?])
    case returnedCount(Int)
    /// A closure of an update was called with this value.
    case updating(ModelRecord)
    case threw
    /// An observation's callback was called.
    case notified(observation: Int, ModelNotice)
    /// The completion of a batch was called.
    case completed(batch: Int)
    /// What there is between transactions: the version, and how many entities observations reach.
    case overview(version: UInt64, watchedCount: Int)
    /// What the calls that read show: of the cache, of a batch, and of a snapshot.
    case state([ModelListing], handles: [ModelKey: ModelRecord])
    case batchState([ModelListing])
    case snapshotState(version: UInt64, [ModelListing])

    /// What kind of event it is, to count how many of each there were.
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

/// What an observer was told.
enum ModelNotice: Equatable, Sendable {
    enum Kind: Sendable {
        case inserted
        case updated
        case removed
        case related
        case expired
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

/// What there is of one type.
struct ModelListing: Equatable {
    var kind: ModelKey.Kind
    var count: Int
    var ids: Set<ModelKey>
    var values: [ModelKey: ModelRecord]
    /// What asking for each key has found.
    var found: [ModelKey: ModelRecord]
    /// Whether an identifier or a value came twice.
    var hasDuplicates = false
}
