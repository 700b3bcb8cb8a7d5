import FlatCache

/// An operation of the model test, which means the same whatever has happened before; so operations
/// can be left out of a sequence.
indirect enum ModelOperation: Sendable {
    case set(ModelRecord, ModelDoor)
    case setAll(ModelKey.Kind, [ModelRecord], ModelDoor)
    case replace(ModelRecord, ModelDoor)
    case update(ModelUpdate)
    case remove(ModelKey, ModelDoor)
    case removeKind(ModelKey.Kind, ModelDoor)
    case removeAll(ModelDoor)
    case prune
    case batch(ModelBatch)
    case observe(slot: Int, ModelObservation)
    case dispose(slot: Int, byDropping: Bool)
    case snapshot([ModelOperation])
    case dropHandles
}

/// An update, with what its closure does besides.
struct ModelUpdate: Sendable {
    var key: ModelKey
    /// What the closure makes of the value.
    var label: Int?
    var links: [ModelKey]?
    var door: ModelDoor
    var inside: [ModelOperation]
    var outcome: ModelOutcome
}

struct ModelBatch: Sendable {
    var inside: [ModelOperation]
    var outcome: ModelOutcome
    var hasCompletion: Bool
}

/// How a closure ends.
///
/// An error that is not caught where it comes from is caught outside of the outermost transaction.
enum ModelOutcome: Sendable {
    case returns
    case throwsCaught
    case throwsUncaught
}

struct ModelObservation: Sendable {
    enum Form: Sendable {
        case values
        case changes
    }

    /// Which of the calls that observe is used.
    enum Door: CaseIterable, Sendable {
        case identifier
        case value
        case handle
    }

    var key: ModelKey
    var form: Form
    var door: Door
    var following: RelationshipDepth
    var isInitial: Bool
    /// Whether another thread begins the observation, so that it meets an open batch from outside.
    var isRemote: Bool
    /// What the observer does from its callback: the first of these in its first call, and so on.
    var reactions: [ModelOperation]
}
