/// Something that has a current state and goes on to have others: an entity, a list, an alias.
///
/// What the faces of observation have in common, so that each works for all of them.
@usableFromInline
package struct Feed<Output: Sendable>: Sendable {
    /// Calls a closure with the current state, and after each commit that changes it.
    ///
    /// When the observation ends, because of its token or because the cache goes, the closure is
    /// released.
    package let observe:
        @Sendable (CacheDelivery, _ receive: @escaping @Sendable (FeedState<Output>) -> Void) ->
            Disposable

    package init(
        observe:
            @escaping @Sendable (
                CacheDelivery, _ receive: @escaping @Sendable (FeedState<Output>) -> Void
            ) -> Disposable
    ) {
        self.observe = observe
    }

    /// The states for a consumer that awaits them, of which one that is slow gets the newest.
    package var sequence: CacheSequence<Output> {
        CacheSequence(.newest(1)) { [observe] sender in observe(.inline, sender.send) }
    }
}

/// One state of a feed.
package enum FeedState<Output: Sendable>: Sendable {
    /// A state that is there.
    case known(Output)
    /// The latest state when the consumer comes to it; `nil` if it has gone with its cache.
    ///
    /// For what takes long to collect, such as the elements of a list: a consumer that is slower than
    /// the commits has it done for those states only that it takes.
    case latest(@Sendable () -> Output?)

    /// The state, for the consumer; `nil` if there is none any more.
    package var output: Output? {
        switch self {
        case .known(let output): output
        case .latest(let read): read()
        }
    }
}
