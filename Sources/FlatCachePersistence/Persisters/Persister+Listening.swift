public import FlatCache

extension Persister {
    /// Calls a closure after each change of the value, and with each error that no call can throw.
    ///
    /// ```swift
    /// let listening = settings.$theme.addUpdateListener { result in
    ///     if case .success(let update) = result { print(update.newValue) }
    /// }
    /// ```
    ///
    /// If another process makes several changes in quick succession, they may coalesce: the
    /// listener then receives only the latest value. If an error repeats, the listener receives it
    /// once.
    ///
    /// ## Concurrency
    /// See ``Persister``. A read in the closure may return a newer value than the update has.
    ///
    /// - Parameters:
    ///   - delivery: The place and time at which the closure is called.
    ///   - updateListener: The closure.
    /// - Returns: A token. After it's disposed of or released, no new call starts. The token keeps
    ///   the persister alive.
    public func addUpdateListener(
        delivery: CacheDelivery = .inline,
        _ updateListener: @escaping @Sendable (Result<Update, any Error>) -> Void
    ) -> Disposable {
        let reported = LocalErrorRecord()
        return access.listen(delivery: delivery) { [self] event in
            switch event {
            case .changed(.value(let value), let version):
                reported.clear()
                remember(value, nil, version)
                updateListener(.success(Update(newValue: value, event: .persisted(value))))
            case .changed(.absent, _):
                reported.clear()
                updateListener(.success(Update(newValue: defaultValue(), event: .removed)))
            case .changed(.corrupt(let error), _):
                // A file that is being written slowly is corrupt at each of many events.
                if reported.record(error) { updateListener(.failure(error)) }
            case .failed(let error):
                updateListener(.failure(error))
            }
        }
    }
}
