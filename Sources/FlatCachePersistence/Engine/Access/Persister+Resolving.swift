public import FlatCache

extension Persister {
    /// Returns the value that reads return, and the error because of which it is the default.
    ///
    /// - Parameter replacesCorrupt: `true` if the default may take the place of a corrupt value.
    func resolve(replacesCorrupt: Bool) -> (value: Value, error: PersistenceError?) {
        do {
            try access.refresh()
        } catch {
            return (defaultValue(), error)
        }
        let known = rememberedValue.withLock { remembered in
            remembered.version == version.current
                ? remembered.value.map { (value: $0, error: remembered.error) } : nil
        }
        if let known { return known }
        do {
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
        switch content {
        case .value(let value):
            if isStored { remember(value, nil, version) }
            return (value, nil)
        case .absent:
            let value = defaultValue()
            guard behaviour.contains(.persistWhenNil) else {
                if isStored { remember(value, nil, version) }
                return (value, nil)
            }
            let outcome = attempt { () throws(PersistenceError) in try persistDefault(value) }
            // A stored default belongs to a later version.
            if case .done = outcome { remember(value, nil, version) }
            return (value, outcome.error)
        case .corrupt(let error):
            let value = defaultValue()
            guard behaviour.contains(.persistOnError) else {
                remember(value, error, version)
                return (value, error)
            }
            remember(nil, error, version)
            guard replacesCorrupt else { return (value, error) }
            let outcome = attempt { () throws(PersistenceError) in try replaceCorrupt(value) }
            if case .done = outcome {
                remember(value, error, version)
                return (value, error)
            }
            return (value, outcome.error)
        }
    }

    /// `true` if the value is stored; if it's `false`, the next read tries again to store it.
    private var isStored: Bool { !access.isUnsaved }

    /// Remembers the result of a read.
    func remember(_ value: Value?, _ error: PersistenceError?, _ version: Int) {
        if error == nil { errors.clear() }
        exchangeRememberedValue(for: value, error, version)
    }

    /// Remembers a value, unless a later one is remembered.
    @inlinable
    func exchangeRememberedValue(for value: Value?, _ error: PersistenceError?, _ version: Int) {
        // The previous value and error are released after the lock.
        var (value, error) = (value, error)
        rememberedValue.withLock { remembered in
            guard version >= remembered.version else { return }
            remembered.version = version
            swap(&remembered.value, &value)
            swap(&remembered.error, &error)
        }
    }

    private func persistDefault(_ value: Value) throws(PersistenceError) {
        if case .absent = try access.reload() { try access.store(value, atOnce: true) }
    }

    private func replaceCorrupt(_ value: Value) throws(PersistenceError) {
        guard case .corrupt = try access.reload() else { return }
        try access.copyCorruptValue()
        try access.store(value, atOnce: true)
    }

    /// The outcome of an attempt to store a default.
    private enum Attempt {
        case done
        case failed(PersistenceError)
        case postponed

        var error: PersistenceError? {
            if case .failed(let error) = self { error } else { nil }
        }
    }

    /// Tries to store a default, unless an attempt that took long has just failed.
    private func attempt(_ body: () throws(PersistenceError) -> Void) -> Attempt {
        let start = access.clock.elapsed
        guard rememberedValue.withLock({ $0.retries.isDue(at: start) }) else { return .postponed }
        do {
            try access.exclusively(body)
            return .done
        } catch {
            let end = access.clock.elapsed
            rememberedValue.withLock { $0.retries.recordFailure(from: start, to: end) }
            return .failed(error)
        }
    }
}
