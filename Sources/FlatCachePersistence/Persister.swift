public import FlatCache

/// One typed value, under one key of one storage.
///
/// ```swift
/// let draft = Persister(
///     key: URL(fileURLWithPath: "/var/lib/shop/draft.json"),
///     storedBy: FileStorage(),
///     transformer: JSONTransformer<Order>(),
///     defaultValue: Order()
/// )
/// try draft.persist(order)
/// draft.retrieveValue()
/// ```
///
/// All persisters of one key agree at once, whatever they were made from, and so does everything that is
/// built on them: ``Persisted``, ``KeyValueContainer``, ``PersistentObject``. A value is read and decoded
/// once, and then again only when it has changed, by whomever.
///
/// ## Concurrency
/// It may be used on any thread. Reading waits for nobody unless the value has to be read from its storage
/// first; then it waits for a write of the same key. Writes of one key take turns.
///
/// If the storage doesn't announce every change, a read that finds one calls the listeners.
///
/// Listeners are called under no lock, in the order of the writes, one call at a time per key, by the
/// thread that writes, before its call returns; unless another thread, or this one further up the stack,
/// is calling a listener of the same key already: then that one makes the call. Changes from outside are
/// told on a thread of the storage's. A listener may read, write and remove the same value.
public final class Persister<Value: Sendable>: Sendable {
    @usableFromInline let memory = Guarded(PersisterMemory<Value>())
    @usableFromInline let version: VersionWord
    /// `true` if the storage announces every change: the remembered value is current until the
    /// version advances.
    @usableFromInline let isAnnounced: Bool
    /// Returns `true` if the value of the latest version is current, where not every change is
    /// announced.
    @usableFromInline let check: (@Sendable () -> Bool)?
    let place: any PersistedPlace<Value>
    let defaultValue: DefaultValue<Value>
    private let behaviour: DefaultValuePersistBehaviour
    private let errorHandler: PersistenceErrorHandler?

    init(
        _ place: some PersistedPlace<Value>,
        defaultValue: DefaultValue<Value>,
        behaviour: DefaultValuePersistBehaviour,
        onError errorHandler: PersistenceErrorHandler?
    ) {
        self.place = place
        self.defaultValue = defaultValue
        self.behaviour = behaviour
        self.errorHandler = errorHandler
        version = place.version
        isAnnounced = place.isAnnounced
        check = place.check
    }

    // MARK: Reading

    /// Returns the value that is stored, or the default if there is none or it can't be had.
    ///
    /// Why it can't be had is told to the error handler, once until it can.
    ///
    /// - Complexity: O(1) while nothing has changed, with no access to the storage and no decoding.
    ///   If the storage doesn't announce every change, as ``Storage/announcesEveryChange`` says,
    ///   each call asks it; for a key of `UserDefaults` on Linux that is one plain read.
    @inlinable
    public func retrieveValue() -> Value {
        if isAnnounced || check?() == true, let value = remembered() { return value }
        return find()
    }

    /// Returns the value that is stored, or the default if there is none.
    ///
    /// It stores nothing: a ``DefaultValuePersistBehaviour`` is for ``retrieveValue()``.
    ///
    /// - Throws: ``PersistenceError`` if the value can't be read or understood.
    /// - Complexity: O(1) while nothing has changed.
    public func retrieveValueOrThrow() throws(PersistenceError) -> Value {
        let found = resolve(storesDefault: false)
        if let error = found.error { throw error }
        return found.value
    }

    /// What is known, if it is of the latest version.
    @inlinable
    func remembered() -> Value? {
        // Before the lock, whose acquiring the load would wait for. What is the latest at this moment may be
        // returned, whatever is written meanwhile.
        let latest = version.current
        return memory.withLock { $0.version == latest ? $0.value : nil }
    }

    @usableFromInline
    func find() -> Value {
        let found = resolve(storesDefault: true)
        if let error = found.error { report(error) }
        return found.value
    }

    private func resolve(storesDefault: Bool) -> (value: Value, error: PersistenceError?) {
        do {
            try place.refresh()
        } catch {
            return (defaultValue(), error)
        }
        let known = memory.withLock { memory in
            memory.version == version.current
                ? memory.value.map { (value: $0, error: memory.error) } : nil
        }
        if let known { return known }
        do {
            let (content, version) = try place.load()
            return resolve(content, version, storesDefault)
        } catch {
            return (defaultValue(), error)
        }
    }

    /// The value of a content, which is remembered unless it still has to be stored.
    private func resolve(
        _ content: PersistedContent<Value>,
        _ version: Int,
        _ storesDefault: Bool
    ) -> (value: Value, error: PersistenceError?) {
        switch content {
        case .value(let value):
            if !place.isUnsaved { note(value, nil, version) }
            return (value, nil)
        case .absent:
            let value = defaultValue()
            guard behaviour.contains(.persistWhenNil) else {
                if !place.isUnsaved { note(value, nil, version) }
                return (value, nil)
            }
            guard storesDefault else { return (value, nil) }
            let outcome = attempt { () throws(PersistenceError) in try persistDefault(value) }
            // If it has been stored, that is another version.
            if case .done = outcome { note(value, nil, version) }
            return (value, outcome.error)
        case .corrupt(let error):
            let value = defaultValue()
            guard behaviour.contains(.persistOnError) else {
                note(value, error, version)
                return (value, error)
            }
            note(nil, error, version)
            guard storesDefault else { return (value, error) }
            let outcome = attempt { () throws(PersistenceError) in try replaceCorrupt(value) }
            if case .done = outcome {
                note(value, error, version)
                return (value, error)
            }
            return (value, outcome.error)
        }
    }

    func note(_ value: Value?, _ error: PersistenceError?, _ version: Int) {
        // Released after the lock.
        let displaced = memory.withLock { memory -> PersisterMemory<Value>? in
            guard version >= memory.version else { return nil }
            defer {
                memory.version = version
                memory.value = value
                memory.error = error
                if error == nil { memory.reported = nil }
            }
            return memory
        }
        withExtendedLifetime(displaced) {}
    }

    private func persistDefault(_ value: Value) throws(PersistenceError) {
        if case .absent = try place.reload() { try place.store(value) }
    }

    private func replaceCorrupt(_ value: Value) throws(PersistenceError) {
        guard case .corrupt = try place.reload() else { return }
        try place.keepCorrupt()
        try place.store(value)
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
        guard memory.withLock({ $0.retries.isDue() }) else { return .postponed }
        let start = ContinuousClock.now
        do {
            try place.exclusively(body)
            return .done
        } catch {
            memory.withLock { $0.retries.noteFailure(from: start, to: .now) }
            return .failed(error)
        }
    }

    // MARK: Writing

    /// Stores a value.
    ///
    /// If it is an Optional without a default of its own, storing `nil` removes the value.
    ///
    /// - Parameter value: The value.
    /// - Throws: ``PersistenceError`` if it could not be stored; everybody goes on to read what was there.
    public func persist(_ value: Value) throws(PersistenceError) {
        try place.store(value)
    }

    /// Removes the value, so that the default is read.
    ///
    /// - Throws: ``PersistenceError`` if it could not be removed.
    public func removeValue() throws(PersistenceError) {
        try place.remove()
    }

    /// Changes the value in place: no other write of this process comes in between.
    ///
    /// With a storage that is no ``ChannelledStorage`` none comes in between that goes through this very
    /// persister.
    ///
    /// ## Concurrency
    /// The closure is called once, on this thread, while the key is locked. It may use this value; what it
    /// writes to it is overwritten by what it leaves. It must not wait for another thread that writes
    /// under the same key; so two updates must not write each other's keys. The listeners of whatever it
    /// writes are called when it has ended.
    ///
    /// - Parameter body: Changes the value.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws, or ``PersistenceError`` if the value can't be read, understood
    ///   or stored; nothing has changed then.
    @discardableResult
    public func update<Result>(_ body: (inout Value) throws -> Result) throws -> Result {
        while true {
            // Not under the lock of the key, since it is a user's closure that may use the key.
            try place.refresh()
            if case .absent = try place.load().content { _ = defaultValue() }
            let result: Result? = try place.exclusively {
                guard var value = try current() else { return nil }
                let result = try body(&value)
                try place.store(value)
                return result
            }
            if let result { return result }
        }
    }

    /// The value that is stored, or the default; `nil` if that has not been evaluated.
    private func current() throws -> Value? {
        try place.refresh()
        return switch try place.load().content {
        case .value(let value): value
        case .absent: defaultValue.evaluated
        case .corrupt(let error): throw error
        }
    }

    /// Stores a value, and has it read even if it can't be stored.
    @usableFromInline
    func assign(_ value: Value) {
        // A value that this persister hasn't read yet may be corrupt, too.
        let mayBeCorrupt = memory.withLock { [version] memory in
            memory.version != version.current || memory.error?.operation == .untransform
        }
        do throws(UnsavedValue) {
            try place.storeOrKeep(value, keepingCorrupt: mayBeCorrupt)
        } catch {
            if !error.isKept {
                // It has no form that others could read.
                note(value, nil, version.current)
                place.report(error.reason)
            }
            // Each time: other than what is read once more, it is another value that is not stored.
            (errorHandler ?? PersistenceError.defaultHandler)(error.reason)
        }
    }

    // MARK: Errors

    /// Tells the handler of an error, unless it has been told of the same since the value was last all
    /// right.
    private func report(_ error: PersistenceError) {
        let description = error.description
        let isNew = memory.withLock { memory in
            defer { memory.reported = description }
            return memory.reported != description
        }
        if isNew { (errorHandler ?? PersistenceError.defaultHandler)(error) }
    }
}
