/// What one commit did to an observed entity.
public struct Change<Value: Identifiable & Sendable>: Sendable where Value.ID: Sendable {
    /// In which way a commit reached an observed entity.
    public enum Kind: Hashable, Sendable {
        /// The entity was not there before.
        case inserted
        /// The entity has another value than before.
        case updated
        /// The entity is not there any more.
        case removed
        /// The entity has the same value as before; something that it refers to has changed.
        case related
    }

    /// The identifier of the observed entity.
    public let id: Value.ID
    /// In which way the commit reached the entity.
    public let kind: Kind
    /// The value before the commit, or `nil` if there was none.
    public let old: Value?
    /// The value that the commit left, or `nil` if it removed it.
    public let new: Value?
    /// The keys of the entities that the commit changed and that the observed entity reaches over
    /// its relationships as they are after the commit; its own among them if it has changed itself.
    public let causes: Set<CacheKey>
    /// The number of the commit.
    ///
    /// Later commits have greater numbers.
    public let version: UInt64

    /// The key of the observed entity.
    public var key: CacheKey { CacheKey(Value.self, id: id) }
}

extension Change: Equatable where Value: Equatable {}

/// A change, as the queue of notifications holds it whatever its type; shared by the observers of
/// one entity.
final class ChangeBox<Value: Identifiable & Sendable>: Sendable where Value.ID: Sendable {
    let change: Change<Value>

    init(_ change: Change<Value>) {
        self.change = change
    }
}
