public import FlatCache

extension Persister {
    /// The values for a consumer that awaits them: the current one first, then the one after each change.
    ///
    /// A consumer that is slower than the changes gets the newest value and not those in between. The
    /// sequence does not end by itself.
    ///
    /// ```swift
    /// for await theme in settings.$theme.values { print(theme) }
    /// ```
    ///
    /// ## Concurrency
    /// See `CacheSequence`. Each iterator keeps the persister alive.
    public var values: CacheSequence<Value> { stateSource.sequence }

    /// The changes, in their order, and errors that nobody could be thrown to, for a consumer that awaits
    /// them.
    ///
    /// What the consumer has not taken is kept in memory, without bound.
    public var updates: CacheSequence<Result<Update, any Error>> { updates(buffering: .unbounded) }

    /// Returns the changes, in their order, and errors that nobody could be thrown to, for a consumer that
    /// awaits them.
    ///
    /// ## Concurrency
    /// See `CacheSequence`. Each iterator keeps the persister alive.
    ///
    /// - Parameter policy: What is kept for a consumer that is slower than the changes.
    public func updates(
        buffering policy: BufferingPolicy
    ) -> CacheSequence<Result<Update, any Error>> {
        CacheSequence(policy) { [self] sender in
            addUpdateListener { sender.send(.known($0)) }
        }
    }

    /// The current value and those to come, as all the faces that show the newest use it.
    package var stateSource: StateSource<Value> {
        StateSource { [self] delivery, receive in
            // Whoever comes to a state reads the latest value, so it does not matter which of the two
            // calls comes first.
            let newest = StateSourceState<Value>.latest { [self] in retrieveValue() }
            let listening = addUpdateListener(delivery: delivery) { _ in receive(newest) }
            receive(newest)
            return listening
        }
    }

    /// The changes, as the publishers use them.
    package var updateSource: StateSource<Result<Update, any Error>> {
        StateSource { [self] delivery, receive in
            addUpdateListener(delivery: delivery) { receive(.known($0)) }
        }
    }
}
