/// The depth to which an observation follows the relationships of the observed entity.
///
/// ```swift
/// // The title alone: a change to the author doesn't call the closure.
/// let observation = cache.cached(Book.self, id: 1).following(.none).observe { print($0.title) }
/// observation.dispose()
/// ```
public enum RelationshipDepth: Hashable, Sendable {
    /// Observes the entity and every entity that it refers to, at any depth.
    ///
    /// For example, an observer of a book is also notified of changes to its author and to the
    /// author's country.
    case allRelationships

    /// Observes only the entity itself.
    case none

    /// Observes the entity and the entities that it reaches over at most this many relationships.
    ///
    /// `.levels(1)` includes the entities that the observed entity itself refers to. `.levels(0)`
    /// has the same effect as `.none`. A negative number is a programmer error and traps.
    case levels(Int)

    /// The maximum number of relationships over which the observation reaches.
    var levelLimit: Int {
        switch self {
        case .allRelationships: .max
        case .none: 0
        case .levels(let limit): limit
        }
    }

    /// The depth plus one relationship, for a list or an alias that refers to the observed
    /// entities.
    @usableFromInline var extendedByOne: RelationshipDepth {
        switch self {
        case .allRelationships: .allRelationships
        case .none: .levels(1)
        case .levels(let limit): .levels(limit < .max && limit >= 0 ? limit + 1 : limit)
        }
    }
}
