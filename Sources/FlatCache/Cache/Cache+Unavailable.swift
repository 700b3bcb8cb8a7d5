// Handles and lists are identifiable too, so generic methods would accept them as values. The
// compiler prefers an available method to these overloads and reports only calls that no other
// overload fits. For all other calls, the table of such a type traps.

extension Cache {
    /// Unavailable: a handle refers to an entity and can't be stored.
    @available(*, unavailable, message: "Set the handle's value: handle.value = …")
    public func set<Value: Identifiable & Sendable>(_ handle: Cached<Value>) -> Cached<Value>
    where Value.ID: Sendable {
        preconditionFailure("Set the handle's value.")
    }

    /// Unavailable: change a list through its handle.
    @available(*, unavailable, message: "Change the list through itself: list.replace(with: …)")
    public func set<Element: Identifiable & Sendable>(
        _ list: CachedList<Element>
    ) -> CachedList<Element> where Element.ID: Sendable {
        preconditionFailure("Change the list through itself.")
    }
}

// A lifetime belongs to a type or a request, and not to the load of one entity.

extension Cache {
    /// Unavailable: set the lifetime of all values of the type.
    @available(
        *,
        unavailable,
        message: """
            Set the lifetime of the type once: \
            configuration.limit(Book.self, staleAfter: .seconds(60))
            """
    )
    public func load<Value: Identifiable & Sendable>(
        _ type: Value.Type,
        id: Value.ID,
        staleAfter lifetime: Duration,
        policy: LoadPolicy = .cacheFirst,
        _ fetch: (@Sendable () async throws -> Value?)? = nil
    ) async throws -> Value? where Value.ID: Sendable {
        preconditionFailure("Set the lifetime of the type.")
    }
}
