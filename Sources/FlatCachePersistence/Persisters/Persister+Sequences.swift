public import FlatCache

extension Persister {
    /// An asynchronous sequence of the current value and the value after each change.
    ///
    /// A consumer that is slower than the changes receives the newest value and skips the ones in
    /// between. The sequence doesn't end by itself.
    ///
    /// ```swift
    /// for await theme in settings.$theme.values { print(theme) }
    /// ```
    ///
    /// ## Concurrency
    /// See `CacheSequence`. Each iterator keeps the persister alive.
    public var values: CacheSequence<Value> { stateSource.sequence }

    /// An asynchronous sequence of the changes and of the errors that listeners receive, in order.
    ///
    /// ```swift
    /// for await result in settings.$theme.updates {
    ///     switch result {
    ///     case .success(let update): print(update.newValue)
    ///     case .failure(let error): print(error)
    ///     }
    /// }
    /// ```
    ///
    /// The sequence buffers all changes that the consumer hasn't received, without a limit.
    public var updates: CacheSequence<Result<Update, any Error>> { updates(buffering: .unbounded) }

    /// Returns an asynchronous sequence of the changes and of the errors that listeners receive, in
    /// order.
    ///
    /// ```swift
    /// for await result in settings.$theme.updates(buffering: .newest(1)) {
    ///     if case .failure(let error) = result { print(error) }
    /// }
    /// ```
    ///
    /// ## Concurrency
    /// See `CacheSequence`. Each iterator keeps the persister alive.
    ///
    /// - Parameter policy: The policy for the changes that a slower consumer hasn't received yet.
    public func updates(
        buffering policy: BufferingPolicy
    ) -> CacheSequence<Result<Update, any Error>> {
        CacheSequence(policy) { [self] sender in
            addUpdateListener { sender.send(.known($0)) }
        }
    }

    /// The source of the current value and its changes, for observers that show the newest value.
    package var stateSource: StateSource<Value> {
        StateSource { [self] delivery, receive in
            // Each delivered state reads the latest value, so the order of the two calls doesn't
            // matter.
            let newest = StateNotification<Value>.latest { [self] in retrieveValue() }
            let listening = addUpdateListener(delivery: delivery) { _ in receive(newest) }
            receive(newest)
            return listening
        }
    }

    /// The source of the changes, for publishers.
    package var updateSource: StateSource<Result<Update, any Error>> {
        StateSource { [self] delivery, receive in
            addUpdateListener(delivery: delivery) { receive(.known($0)) }
        }
    }
}
