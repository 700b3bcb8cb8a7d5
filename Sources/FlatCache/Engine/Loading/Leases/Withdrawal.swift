/// An explicit removal or invalidation of entities, whether or not they have values.
package struct Withdrawal: Sendable {
    /// The entities that a withdrawal concerns.
    package enum Scope: Sendable {
        case entity(CacheKey)
        case type(Any.Type)
        /// The requests whose names have a prefix.
        case requests(prefix: String)
        case all

        /// The identifier of the only entity, if it has a type.
        func id<Value: Identifiable & Sendable>(of type: Value.Type) -> Value.ID?
        where Value.ID: Sendable {
            if case .entity(let key) = self { key.id(as: type) } else { nil }
        }
    }

    /// The number of the withdrawal, counted by `CacheCore.withdrawalCount`.
    let number: UInt64
    let kind: WriteKind
    package let scope: Scope

    /// A Boolean value that indicates whether the entities were removed, rather than invalidated.
    package var isRemoval: Bool { kind == .removal }
}
