public import FlatCache

extension Persister {
    /// Calls a closure after each change of the value, and with each error that no call can throw.
    ///
    /// Changes that another process makes in quick succession may come together: the listener then
    /// gets the latest value. An error that comes again with the next change is reported once.
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
        let corruption = Locked<String?>(nil)
        return place.listen(delivery: delivery) { [self] event in
            switch event {
            case .changed(let content, let version):
                // A file that is being written slowly is corrupt at each of many events.
                let reason =
                    if case .corrupt(let error) = content { error.description } else {
                        nil as String?
                    }
                let isNew = corruption.withLock { last in
                    defer { last = reason }
                    return reason == nil || last != reason
                }
                if isNew { updateListener(result(of: content, version)) }
            case .failed(let error):
                updateListener(.failure(error))
            }
        }
    }

    private func result(
        of content: PersistedContent<Value>,
        _ version: Int
    ) -> Result<Update, any Error> {
        switch content {
        case .value(let value):
            remember(value, nil, version)
            return .success(Update(newValue: value, event: .persisted(value)))
        case .absent:
            return .success(Update(newValue: defaultValue(), event: .removed))
        case .corrupt(let error):
            return .failure(error)
        }
    }
}
