/// An open layer, as ``Cache/pendingLayers`` lists it.
public struct PendingLayer: Identifiable, Equatable, Sendable {
    /// The identifier of the layer.
    ///
    /// Layers that began later have greater identifiers.
    public let id: Int
    /// The description of the edits.
    public let label: String
    /// The keys of the entities that the layer edits, without lists and aliases.
    public let keys: Set<CacheKey>
}

extension Cache {
    /// The open layers, in the order in which they began.
    ///
    /// ```swift
    /// let observation = cache.pendingLayers.observe { layers in
    ///     print(layers.isEmpty ? "Saved" : "Saving \(layers.map(\.label))")
    /// }
    /// ```
    public var pendingLayers: CachedQuery<PendingLayer> {
        query(PendingLayer.self).sorted(by: \.id)
    }
}

extension Cached {
    /// A Boolean value that indicates whether an open layer edits the entity.
    ///
    /// To observe it, use ``pendingState``.
    public var isPending: Bool { pendingState.value }

    /// The source of ``isPending``.
    ///
    /// ```swift
    /// let observation = cache.cached(Book.self, id: 1).pendingState
    ///     .observe { print($0 ? "Saving …" : "Saved") }
    /// ```
    ///
    /// If only this state changes, the cache doesn't call the observers of the entity's value.
    public var pendingState: CachedProjection<Bool, ValueChange<Bool>> {
        let key = CacheKey(Value.self, id: id)
        let source = PendingSource(handle: Cached<ConfirmedState>(id: key, core: core))
        return CachedProjection(source) { delivery, receive in
            source.observe(delivery) { old, new in
                if let old { receive(ValueChange(old: old, new: new)) }
            }
        }
    }
}

extension QueryReader {
    /// Returns whether an open layer edits an entity.
    ///
    /// ```swift
    /// let drafts = cache.query(Book.self).where { $1.isPending(Book.self, id: $0.id) }
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type under which the entity is stored.
    ///   - id: The entity's identifier.
    public func isPending<Value: Identifiable & Sendable>(
        _ type: Value.Type,
        id: Value.ID
    ) -> Bool where Value.ID: Sendable {
        get(ConfirmedState.self, id: CacheKey(type, id: id))?.isPending ?? false
    }
}

/// The source of ``Cached/pendingState``.
private struct PendingSource: ProjectionSource {
    let handle: Cached<ConfirmedState>

    func read() -> Bool { handle.value?.isPending ?? false }

    func read(in cache: some ReadableCache) -> Bool {
        cache.get(ConfirmedState.self, id: handle.id)?.isPending ?? false
    }

    func observe(
        initial: Bool,
        _ delivery: CacheDelivery,
        _ body: @escaping @Sendable (StateNotification<Bool>) -> Void
    ) -> Disposable {
        observe(delivery) { old, new in if initial || old != nil { body(.known(new)) } }
    }

    func keepCurrent() -> Disposable { Disposable {} }

    /// Calls a closure with the current state, where the old state is `nil`, and then with each
    /// change.
    func observe(
        _ delivery: CacheDelivery,
        _ body: @escaping @Sendable (_ old: Bool?, _ new: Bool) -> Void
    ) -> Disposable {
        let latest = Locked<Bool?>(nil)
        return handle.observe(initial: .always, wantsCauses: false, delivery: delivery) { change in
            let new = change.new?.isPending ?? false
            let old = latest.withLock { latest in
                defer { latest = new }
                return latest
            }
            if old != new { body(old, new) }
        }
    }
}
