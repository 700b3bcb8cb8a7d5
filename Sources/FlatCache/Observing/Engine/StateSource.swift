import Observation

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
        @Sendable (CacheDelivery, _ receive: @escaping @Sendable (StateSourceState<Output>) -> Void)
            ->
            Disposable

    package init(
        observe:
            @escaping @Sendable (
                CacheDelivery, _ receive: @escaping @Sendable (StateSourceState<Output>) -> Void
            ) -> Disposable
    ) {
        self.observe = observe
    }

    /// A sequence of the states, of which a slow consumer receives the newest.
    package var sequence: CacheSequence<Output> {
        CacheSequence(.newest(1)) { [observe] sender in observe(.inline, sender.send) }
    }
}

/// A state of a source.
package enum StateSourceState<Output: Sendable>: Sendable {
    /// A state that is available at once.
    case known(Output)
    /// A function that reads the latest state when the consumer takes it, or returns `nil` if the
    /// state was removed with its cache.
    ///
    /// It serves states that take long to collect, such as the elements of a list: a slow consumer
    /// collects only the states that it takes.
    case latest(@Sendable () -> Output?)

    /// The state for the consumer, or `nil` if it no longer exists.
    package var output: Output? {
        switch self {
        case .known(let output): output
        case .latest(let read): read()
        }
    }
}

/// The trackers that the Observation framework notifies of the next change of a state.
///
/// This object is separate from the observable object, so that an observation can notify the
/// trackers without keeping the observable object alive.
package final class Trackers: Observable, Sendable {
    private let registrar = ObservationRegistrar()

    package init() {}

    /// A property that stands for the state in calls to the registrar.
    private var state: Void { () }

    /// Registers the current tracker, if there is one.
    package func access() { registrar.access(self, keyPath: \.state) }

    /// Notifies the registered trackers and clears the list.
    package func notify() { registrar.withMutation(of: self, keyPath: \.state) {} }
}
