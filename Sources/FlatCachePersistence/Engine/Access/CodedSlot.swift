import FlatCache

/// A key of a storage, and the conversion between its values and their stored form.
struct CodedSlot<Value: Sendable, Place: Storage>: PersistedPlace {
    private let slot: KeySlot<Place>
    /// Returns the stored form of a value, or `nil` for a value that is stored by a removal.
    private let encode: @Sendable (Value) throws -> Place.Value?
    private let decode: @Sendable (Place.Value) throws -> Value

    init(
        _ slot: KeySlot<Place>,
        encode: @escaping @Sendable (Value) throws -> Place.Value?,
        decode: @escaping @Sendable (Place.Value) throws -> Value
    ) {
        self.slot = slot
        self.encode = encode
        self.decode = decode
    }

    var version: VersionWord { slot.channel.version }

    var isAnnounced: Bool { slot.isAnnounced }

    var check: ValueCheck? { slot.check }

    var isWatched: Bool { slot.isWatched }

    func watched() -> Self { Self(slot.watched(), encode: encode, decode: decode) }

    var isUnsaved: Bool { slot.channel.unsaved != nil }

    func refresh() throws(PersistenceError) {
        saveAgain()
        do {
            try slot.refresh()
        } catch {
            // The unsaved value is newer than a value that can't be read.
            if !isUnsaved { throw error }
        }
    }

    /// Tries again to store a value that could not be stored, if there is one.
    ///
    /// Neither listeners nor the error handler are notified of another failure.
    func saveAgain() {
        let channel = slot.channel
        guard channel.unsaved?.retries.isDue() ?? false else { return }
        channel.exclusively {
            let start = ContinuousClock.now
            do throws(PersistenceError) {
                // If the medium has changed meanwhile, its value replaces the unsaved one.
                try slot.ask()
                guard let unsaved = channel.unsaved else { return }
                let value = try slot.load().value
                try keepCorrupt(beneath: unsaved)
                try slot.store(value)
            } catch {
                channel.recordFailedAttempt(from: start)
            }
        }
    }

    /// Keeps a copy of a corrupt value that an unsaved value could not replace, if it's still
    /// there.
    ///
    /// The user who set the unsaved value decides: other users of the key can have other forms.
    private func keepCorrupt(beneath unsaved: UnsavedState<Place.Value>) throws(PersistenceError) {
        guard slot.canKeepCorrupt, unsaved.isCorrupt?(slot.channel.storedValue) ?? false else {
            return
        }
        try slot.keepCorrupt()
    }

    /// Prepares for a write while a value that may replace a corrupt one is unsaved.
    ///
    /// Reads return the unsaved value, so the storage is asked for the stored one.
    ///
    /// - Returns: A Boolean value that indicates whether the storage was asked.
    private func prepareToWrite() throws(PersistenceError) -> Bool {
        guard slot.channel.unsaved?.isCorrupt != nil else { return false }
        try slot.ask()
        if let unsaved = slot.channel.unsaved { try keepCorrupt(beneath: unsaved) }
        return true
    }

    func load() throws(PersistenceError) -> (content: PersistedContent<Value>, version: Int) {
        let (stored, version) = try slot.load()
        return (content(of: stored), version)
    }

    func reload() throws(PersistenceError) -> PersistedContent<Value> {
        content(of: try slot.reload())
    }

    func store(_ value: Value) throws(PersistenceError) {
        let stored = try encoded(value)
        guard isUnsaved else { return try slot.store(stored) }
        try slot.channel.exclusively { () throws(PersistenceError) in
            _ = try prepareToWrite()
            try slot.store(stored)
        }
    }

    func storeOrKeep(_ value: Value, keepingCorrupt: Bool) throws(UnsavedValue) {
        let stored: Place.Value?
        do {
            stored = try encoded(value)
        } catch {
            throw UnsavedValue(reason: error, isKept: false)
        }
        try slot.channel.exclusively { () throws(UnsavedValue) in
            let start = ContinuousClock.now
            let prior = slot.channel.unsaved
            do throws(PersistenceError) {
                let wasAsked = try prepareToWrite()
                if keepingCorrupt { try slot.refresh() }
                let (present, _) = try slot.load()
                // While a value is unsaved, `present` is that value.
                if keepingCorrupt || wasAsked, slot.canKeepCorrupt,
                    case .corrupt = content(of: present)
                {
                    try slot.keepCorrupt()
                }
                try slot.store(stored)
            } catch {
                // Doesn't refer to the slot, which its channel would keep alive.
                let isCorrupt: @Sendable (Place.Value?) -> Bool = { [decode] stored in
                    stored.map { (try? decode($0)) == nil } ?? false
                }
                slot.keep(
                    stored,
                    because: error,
                    keepingCorrupt: prior?.isCorrupt ?? (keepingCorrupt ? isCorrupt : nil),
                    since: start
                )
                throw UnsavedValue(reason: error, isKept: true)
            }
        }
    }

    func remove() throws(PersistenceError) { try slot.store(nil) }

    func keepCorrupt() throws(PersistenceError) { try slot.keepCorrupt() }

    func exclusively<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try slot.channel.exclusively(body)
    }

    func report(_ error: PersistenceError) { slot.channel.report(error) }

    func call(_ calls: [@Sendable () -> Void]) { slot.channel.call(calls) }

    func explained(
        _ error: any Error,
        _ operation: PersistenceError.Operation
    ) -> PersistenceError {
        slot.explained(error, operation)
    }

    func listen(
        delivery: CacheDelivery,
        _ receive: @escaping @Sendable (PersistedEvent<Value>) -> Void
    ) -> Disposable {
        // Loads the current value for comparison with later changes from outside. If it can't be
        // read now, a later read or change reports it.
        _ = try? slot.refresh()
        _ = try? slot.load()
        let listening = slot.channel.addListener(delivery: delivery) { event in
            switch event {
            case .changed(let stored, let version):
                receive(.changed(content(of: stored), version: version))
            case .failed(let error):
                receive(.failed(slot.explained(error, .read)))
            }
        }
        return Disposable(stopping: listening.dispose) {
            // The listener's own token has ended the calls; the slot stays in use until here.
            withExtendedLifetime(slot) {}
        }
    }

    private func encoded(_ value: Value) throws(PersistenceError) -> Place.Value? {
        do {
            return try encode(value)
        } catch {
            throw slot.explained(error, .transform)
        }
    }

    private func content(of stored: Place.Value?) -> PersistedContent<Value> {
        guard let stored else { return .absent }
        do {
            return .value(try decode(stored))
        } catch {
            return .corrupt(slot.explained(error, .untransform))
        }
    }
}
