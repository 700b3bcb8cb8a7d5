import FlatCache

@testable import FlatCacheTestSupport

/// An operation of the model test.
///
/// It is valid in every state, so that any operation can be left out of a sequence.
indirect enum ModelOperation: Sendable {
    case set(ModelRecord, ModelAccess)
    case setAll(ModelKey.Kind, [ModelRecord], ModelAccess)
    case replace(ModelRecord, ModelAccess)
    case update(ModelUpdate)
    case remove(ModelKey, ModelAccess)
    case removeKind(ModelKey.Kind, ModelAccess)
    case removeAll(ModelAccess)
    case prune
    case batch(ModelBatch)
    case observe(slot: Int, ModelObservation)
    case dispose(slot: Int, byDropping: Bool)
    case snapshot([ModelOperation])
    case dropHandles
}

/// An update whose closure performs further operations.
struct ModelUpdate: Sendable {
    var key: ModelKey
    /// The label that the closure assigns.
    var label: Int?
    var links: [ModelKey]?
    var access: ModelAccess
    var inside: [ModelOperation]
    var outcome: ModelOutcome
}

struct ModelBatch: Sendable {
    var inside: [ModelOperation]
    var outcome: ModelOutcome
    var hasCompletion: Bool
}

/// The outcome of a closure.
///
/// An uncaught error propagates to the outermost transaction and is caught outside of it.
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

    /// The method by which an observation begins.
    enum Access: CaseIterable, Sendable {
        case identifier
        case value
        case handle
    }

    var key: ModelKey
    var form: Form
    var access: Access
    var following: RelationshipDepth
    var isInitial: Bool
    /// A Boolean value that indicates whether another thread begins the observation, outside the
    /// open batch.
    var isRemote: Bool
    /// The operations that the observer performs, one per call.
    var reactions: [ModelOperation]
}
