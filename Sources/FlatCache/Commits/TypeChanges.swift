/// What one commit did to the entities of a type.
public struct TypeChanges<Value: Identifiable & Sendable>: Sendable where Value.ID: Sendable {
    /// A change for each entity that is not as it was, in the order in which the commit first wrote
    /// to them.
    ///
    /// Its kind is `.inserted`, `.updated`, `.removed` or `.expired`, and its only cause the entity itself.
    public let changes: [EntityChange<Value>]
    /// The number of the commit.
    public let version: UInt64

    init(_ changes: [EntityChange<Value>], version: UInt64) {
        self.changes = changes
        self.version = version
    }

    /// The changes of entities that were not there before.
    ///
    /// - Complexity: O(*n*) in the number of changes.
    public var inserted: [EntityChange<Value>] { changes.filter { $0.kind == .inserted } }

    /// The changes of entities that have another value than before, or were stale and have been
    /// stored again.
    ///
    /// - Complexity: O(*n*) in the number of changes.
    public var updated: [EntityChange<Value>] { changes.filter { $0.kind == .updated } }

    /// The changes of entities that are not there any more.
    ///
    /// - Complexity: O(*n*) in the number of changes.
    public var removed: [EntityChange<Value>] { changes.filter { $0.kind.isRemoval } }
}

extension TypeChanges: Equatable where Value: Equatable {}
