/// How far an observation follows the relationships of the entity that it observes.
public enum RelationshipDepth: Hashable, Sendable {
    /// Hears of changes to the entity and to everything that it refers to, at any depth.
    case allRelationships

    /// Hears of changes to the entity itself only.
    case none

    /// Hears of changes to the entity and to what it refers to over at most this many
    /// relationships.
    ///
    /// `.levels(1)` follows what the entity itself refers to; `.levels(0)` is `.none`. A negative
    /// number is a programmer's error and traps.
    case levels(Int)

    /// Over how many relationships the observation reaches at most.
    var levelLimit: Int {
        switch self {
        case .allRelationships: .max
        case .none: 0
        case .levels(let limit): limit
        }
    }

    /// The reach over one relationship more: for what refers to the entity that this one is meant for.
    @usableFromInline var extendedByOne: RelationshipDepth {
        switch self {
        case .allRelationships: .allRelationships
        case .none: .levels(1)
        case .levels(let limit): .levels(limit < .max && limit >= 0 ? limit + 1 : limit)
        }
    }
}
