public import FlatCache

extension Persister {
    /// Returns the value that reads return, and the error because of which it is the default.
    ///
    /// - Parameter replacesCorrupt: `true` if the default may take the place of a corrupt value.
    func resolve(replacesCorrupt: Bool) -> (value: Value, error: PersistenceError?) {
        do throws(PersistenceError) {
            try access.refresh()
            let known = rememberedValue.withLock { remembered in
                remembered.version == self.version.current
                    ? remembered.value.map { (value: $0, error: remembered.error) } : nil
            }
            if let known { return known }
            let (content, version) = try access.load()
            return resolve(content, version, replacesCorrupt)
        } catch {
            return (defaultValue(), error)
        }
    }

    /// Returns the value of a content, and remembers it unless it still has to be stored.
    private func resolve(
        _ content: PersistedContent<Value>,
        _ version: Int,
        _ replacesCorrupt: Bool
    ) -> (value: Value, error: PersistenceError?) {
        let error: PersistenceError?
        switch content {
        case .value(let value):
            remember(value, nil, version)
            return (value, nil)
        case .absent: error = nil
        case .corrupt(let cause): error = cause
        }
        let value = defaultValue()
        guard behaviour.contains(error == nil ? .persistWhenNil : .persistOnError) else {
            remember(value, error, version)
            return (value, error)
        }
        if error != nil {
            remember(nil, error, version)
            if !replacesCorrupt { return (value, error) }
        }
        let start = access.clock.elapsed
        // An attempt that took long has just failed.
        guard rememberedValue.withLock({ $0.retries.isDue(at: start) }) else { return (value, nil) }
        do throws(PersistenceError) {
            try access.exclusively { () throws(PersistenceError) in
                try persist(value, replacesCorrupt: error != nil)
            }
            // A stored default belongs to a later version.
            remember(value, error, version)
            return (value, error)
        } catch let failure {
            let end = access.clock.elapsed
            rememberedValue.withLock { $0.retries.recordFailure(from: start, to: end) }
            return (value, failure)
        }
    }

    /// Stores the default, unless the storage has another content by now.
    private func persist(_ value: Value, replacesCorrupt: Bool) throws(PersistenceError) {
        switch try access.reload() {
        case .absent where !replacesCorrupt: break
        case .corrupt where replacesCorrupt: try access.copyCorruptValue()
        case .value, .absent, .corrupt: return
        }
        try access.store(value, atOnce: true)
    }

    /// Remembers the result of a read.
    ///
    /// A value that isn't stored isn't remembered, so that the next read tries again to store it.
    private func remember(_ value: Value?, _ error: PersistenceError?, _ version: Int) {
        if error == nil {
            if access.isUnsaved { return }
            errors.clear()
        }
        replaceRememberedValue(with: value, error, version)
    }

    /// Remembers a value, unless a later one is remembered.
    @inlinable
    func replaceRememberedValue(with value: Value?, _ error: PersistenceError?, _ version: Int) {
        // The previous value and error are released after the lock.
        var (value, error) = (value, error)
        rememberedValue.withLock { remembered in
            guard version >= remembered.version else { return }
            remembered.version = version
            swap(&remembered.value, &value)
            swap(&remembered.error, &error)
        }
    }
}

/// The value that a persister remembers while it is unchanged, and the results of its last read.
@usableFromInline
struct RememberedValue<Value: Sendable>: Sendable {
    /// The version of the remembered value; zero if there is none.
    @usableFromInline var version = 0
    /// The value that reads return: the stored one or the default.
    @usableFromInline var value: Value?
    /// The decoding error because of which `value` is the default although a value is stored.
    @usableFromInline var error: PersistenceError?
    /// The schedule of attempts to store the default.
    var retries = RetrySchedule()

    init() {}
}
