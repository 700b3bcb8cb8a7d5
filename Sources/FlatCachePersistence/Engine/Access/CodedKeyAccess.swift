import FlatCache

/// The access to a key of a storage, with a conversion between values and their stored form.
struct CodedKeyAccess<Value: Sendable, Base: Storage>: ValueAccess {
    private let keyAccess: KeyAccess<Base>
    /// Returns the stored form of a value, or `nil` for a value that is stored by a removal.
    private let encode: @Sendable (Value) throws -> Base.Value?
    private let decode: @Sendable (Base.Value) throws -> Value

    init(
        _ keyAccess: KeyAccess<Base>,
        encode: @escaping @Sendable (Value) throws -> Base.Value?,
        decode: @escaping @Sendable (Base.Value) throws -> Value
    ) {
        self.keyAccess = keyAccess
        self.encode = encode
        self.decode = decode
    }

    var version: ValueVersion { keyAccess.channel.version }

    var clock: any PersistenceClock { keyAccess.channel.clock }

    var isAnnounced: Bool { keyAccess.isAnnounced }

    var check: ValueCheck? { keyAccess.check }

    var isWatched: Bool { keyAccess.isWatched }

    func watched() -> Self { Self(keyAccess.watched(), encode: encode, decode: decode) }

    var isUnsaved: Bool { keyAccess.channel.isUnsaved }

    func refresh() throws(PersistenceError) {
        retryStoring()
        do {
            try keyAccess.refresh()
        } catch {
            // Reads return the unsaved value, so a failure to read the stored one doesn't matter.
            if !isUnsaved { throw error }
        }
    }

    /// Tries again to store a value that could not be stored, if there is one.
    ///
    /// Neither listeners nor the error handler are notified of another failure.
    func retryStoring() {
        let channel = keyAccess.channel
        guard channel.unsaved?.retries.isDue(at: clock.elapsed) ?? false else { return }
        channel.exclusively {
            let start = clock.elapsed
            do throws(PersistenceError) {
                // If the stored value has changed meanwhile, it replaces the unsaved one.
                try keyAccess.compareWithStorage()
                guard let unsaved = channel.unsaved else { return }
                let value = try keyAccess.load().value
                try copyCorruptValue(replacedBy: unsaved)
                try keyAccess.store(value)
            } catch {
                channel.recordFailedAttempt(from: start)
            }
        }
    }

    /// Copies a corrupt value that an unsaved value could not replace, if it's still there.
    ///
    /// The instance that set the unsaved value decides whether the stored one is corrupt, because
    /// other users of the key can have other forms.
    private func copyCorruptValue(replacedBy unsaved: UnsavedState<Base.Value>)
        throws(PersistenceError)
    {
        guard keyAccess.canCopyCorruptValue,
            unsaved.isCorrupt?(keyAccess.channel.storedValue) ?? false
        else {
            return
        }
        try keyAccess.copyCorruptValue()
    }

    /// Prepares for a write while a value that may replace a corrupt one is unsaved.
    ///
    /// Reads return the unsaved value, so the storage is asked for the stored one.
    ///
    /// - Returns: A Boolean value that indicates whether the storage was asked.
    private func prepareToWrite() throws(PersistenceError) -> Bool {
        guard keyAccess.channel.unsaved?.isCorrupt != nil else { return false }
        try keyAccess.compareWithStorage()
        if let unsaved = keyAccess.channel.unsaved { try copyCorruptValue(replacedBy: unsaved) }
        return true
    }

    func load() throws(PersistenceError) -> (content: PersistedContent<Value>, version: Int) {
        let (stored, version) = try keyAccess.load()
        return (content(of: stored), version)
    }

    func reload() throws(PersistenceError) -> PersistedContent<Value> {
        content(of: try keyAccess.reload())
    }

    func store(_ value: Value) throws(PersistenceError) {
        let stored = try encoded(value)
        guard isUnsaved else { return try keyAccess.store(stored) }
        try keyAccess.channel.exclusively { () throws(PersistenceError) in
            _ = try prepareToWrite()
            try keyAccess.store(stored)
        }
    }

    func storeOrSetUnsaved(_ value: Value, mayBeCorrupt: Bool) throws(PersistenceError) {
        let stored: Base.Value?
        do {
            stored = try encoded(value)
        } catch {
            report(error)
            throw error
        }
        try keyAccess.channel.exclusively { () throws(PersistenceError) in
            let start = clock.elapsed
            let prior = keyAccess.channel.unsaved
            do throws(PersistenceError) {
                let wasCompared = try prepareToWrite()
                if mayBeCorrupt { try keyAccess.refresh() }
                let (present, _) = try keyAccess.load()
                // While a value is unsaved, `present` is that value.
                if mayBeCorrupt || wasCompared, keyAccess.canCopyCorruptValue,
                    case .corrupt = content(of: present)
                {
                    try keyAccess.copyCorruptValue()
                }
                try keyAccess.store(stored)
            } catch {
                guard error.operation != .transform else {
                    report(error)
                    throw error
                }
                // The closure doesn't capture `keyAccess`: the channel stores the closure, and
                // would keep the access alive.
                let isCorrupt: @Sendable (Base.Value?) -> Bool = { [decode] stored in
                    stored.map { (try? decode($0)) == nil } ?? false
                }
                keyAccess.setUnsaved(
                    stored,
                    because: error,
                    isCorrupt: prior?.isCorrupt ?? (mayBeCorrupt ? isCorrupt : nil),
                    since: start
                )
                throw error
            }
        }
    }

    func remove() throws(PersistenceError) { try keyAccess.store(nil) }

    func copyCorruptValue() throws(PersistenceError) { try keyAccess.copyCorruptValue() }

    func exclusively<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try keyAccess.channel.exclusively(body)
    }

    func report(_ error: PersistenceError) { keyAccess.channel.report(error) }

    func call(_ calls: [@Sendable () -> Void]) { keyAccess.channel.call(calls) }

    func explained(
        _ error: any Error,
        _ operation: PersistenceError.Operation
    ) -> PersistenceError {
        keyAccess.explained(error, operation)
    }

    func listen(
        delivery: CacheDelivery,
        toChanges receiveContent: @escaping @Sendable (PersistedContent<Value>, Int) -> Void,
        toErrors receiveError: @escaping @Sendable (PersistenceError) -> Void
    ) -> Disposable {
        // Loads the current value for comparison with later changes from outside. If it can't be
        // read now, a later read or change reports it.
        _ = try? keyAccess.refresh()
        _ = try? keyAccess.load()
        let listening = keyAccess.channel.addListener(delivery: delivery) { event in
            switch event {
            case .changed(let stored, let version):
                receiveContent(content(of: stored), version)
            case .failed(let error):
                receiveError(keyAccess.explained(error, .read))
            }
        }
        return Disposable(stopping: listening.dispose) {
            // The token of the listener has ended the calls. This capture has kept the key in use
            // until now.
            withExtendedLifetime(keyAccess) {}
        }
    }

    private func encoded(_ value: Value) throws(PersistenceError) -> Base.Value? {
        do {
            return try encode(value)
        } catch {
            throw keyAccess.explained(error, .transform)
        }
    }

    // Inlined, because each function looks up the metadata of its generic types by itself (row 20b
    // of Benchmarks).
    @inline(__always)
    private func content(of stored: Base.Value?) -> PersistedContent<Value> {
        guard let stored else { return .absent }
        do {
            return .value(try decode(stored))
        } catch {
            return .corrupt(keyAccess.explained(error, .untransform))
        }
    }
}
