public import FlatCache

extension Persister {
    /// Calls a closure after each change of the value, and when a set value can't be stored or a
    /// change from outside can't be read or decoded.
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
    @inlinable
    public func addUpdateListener(
        delivery: CacheDelivery = .inline,
        _ updateListener: @escaping @Sendable (Result<Update, any Error>) -> Void
    ) -> Disposable {
        // The client compiles this for the type of the value. Otherwise each call looks up the
        // metadata of six types. The lookup took a third of a `persist` (row 20b of Benchmarks).
        listen(delivery: delivery) { [self] value, version in
            exchangeRememberedValue(for: value, nil, version)
            updateListener(.success(Update(newValue: value, event: .persisted(value))))
        } toRemovals: {
            updateListener(.success(Update(newValue: $0, event: .removed)))
        } toErrors: {
            updateListener(.failure($0))
        }
    }

    /// Calls a closure with each stored value and its version, another one with the default after
    /// each removal, and a third one with each error.
    @usableFromInline
    func listen(
        delivery: CacheDelivery,
        toValues receiveValue: @escaping @Sendable (Value, Int) -> Void,
        toRemovals receiveDefault: @escaping @Sendable (Value) -> Void,
        toErrors receiveError: @escaping @Sendable (any Error) -> Void
    ) -> Disposable {
        let reported = ErrorRecord()
        return access.listen(delivery: delivery) { [self] content, version in
            switch content {
            case .value(let value):
                reported.clear()
                errors.clear()
                receiveValue(value, version)
            case .absent:
                reported.clear()
                receiveDefault(defaultValue())
            case .corrupt(let error):
                // A file that is being written slowly is corrupt at each of many events.
                if reported.record(error) { receiveError(error) }
            }
        } toErrors: {
            receiveError($0)
        }
    }
}
