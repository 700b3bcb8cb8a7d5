/// A source of states to observe: an entity, a list, an alias or a persisted value.
///
/// Sequences and publishers are built on sources, so that each of them works for all sources.
@usableFromInline
package struct StateSource<Output: Sendable>: Sendable {
    /// A function that calls a closure with the current state, and after each commit that changes
    /// it.
    ///
    /// The closure is released when the observation ends, because its token is disposed of or its
    /// cache is deallocated.
    package let observe:
        @Sendable (
            CacheDelivery, _ receive: @escaping @Sendable (StateNotification<Output>) -> Void
        )
            ->
            Disposable

    package init(
        observe:
            @escaping @Sendable (
                CacheDelivery, _ receive: @escaping @Sendable (StateNotification<Output>) -> Void
            ) -> Disposable
    ) {
        self.observe = observe
    }

    /// A sequence of the states, of which a slow consumer receives the newest.
    package var sequence: CacheSequence<Output> {
        CacheSequence(.newest(1)) { [observe] sender in observe(.inline, sender.send) }
    }
}

extension CacheSource {
    /// The source in the form that publishers take.
    package var stateSource: StateSource<State> {
        StateSource { [self] in _observe(initial: true, delivery: $0, $1) }
    }
}
