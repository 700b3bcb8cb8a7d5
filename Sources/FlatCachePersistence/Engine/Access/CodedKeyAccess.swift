import Dispatch
import FlatCache

/// The access to a key of a storage, with a conversion between values and their stored form.
struct CodedKeyAccess<Value: Sendable, Base: Storage>: ValueAccess {
    private let keyAccess: KeyAccess<Base>
    private let form: StoredForm<Value, Base.Value>

    init(_ keyAccess: KeyAccess<Base>, _ form: StoredForm<Value, Base.Value>) {
        self.keyAccess = keyAccess
        self.form = form
    }

    var place: String {
        "'\(PersistenceError.name(of: keyAccess.key))' in \(keyAccess.storage)"
    }

    var version: ValueVersion { keyAccess.channel.version }

    var clock: any PersistenceClock { keyAccess.channel.clock }

    var isAnnounced: Bool { keyAccess.isAnnounced }

    var check: ValueCheck? { keyAccess.check }

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
    func retryStoring() {
        let channel = keyAccess.channel
        guard channel.unsaved?.retries.isDue(at: clock.elapsed) ?? false,
            !channel.isStoringInBackground
        else { return }
        _ = storeUnsaved()
    }

    /// Stores the unsaved value, if there is one.
    ///
    /// Neither listeners nor the error handler are notified of a failure.
    ///
    /// - Returns: `false` if another process holds the storage's lock.
    private func storeUnsaved() -> Bool {
        let channel = keyAccess.channel
        return channel.exclusively {
            let start = clock.elapsed
            do throws(PersistenceError) {
                // If the stored value has changed meanwhile, it replaces the unsaved one.
                try keyAccess.compareWithStorage()
                guard let unsaved = channel.unsaved else { return true }
                let value = try keyAccess.load().value
                try copyCorruptValue(replacedBy: unsaved)
                try keyAccess.store(value, atOnce: true)
            } catch {
                channel.recordFailedAttempt(from: start)
                return !error.isBusy
            }
            return true
        }
    }

    /// Stores the unsaved value on another thread, as soon as no other process holds the storage's
    /// lock.
    ///
    /// The key remains in use until then.
    ///
    /// - Parameter delay: The time until the first attempt. It doubles with each, up to a second.
    private func storeInBackground(after delay: Duration = .moment) {
        clock.run(at: clock.elapsed + delay, on: .global(qos: .utility)) {
            // First, so that a value that is set during the attempt schedules another one.
            keyAccess.channel.endStoringInBackground()
            if !storeUnsaved(), keyAccess.channel.beginStoringInBackground() {
                storeInBackground(after: min(delay * 2, .seconds(1)))
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
        keyAccess.channel.recordCopyOfCorruptValue()
    }

    /// Prepares for a write while a value that may replace a corrupt one is unsaved.
    ///
    /// Reads return the unsaved value, so the storage is asked for the stored one.
    ///
    /// - Returns: `true` if the storage was asked.
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

    func store(_ value: Value, atOnce: Bool) throws(PersistenceError) {
        let stored = try encoded(value)
        guard isUnsaved else { return try keyAccess.store(stored, atOnce: atOnce) }
        func attempt() throws(PersistenceError) {
            try keyAccess.channel.exclusively { () throws(PersistenceError) in
                _ = try prepareToWrite()
                try keyAccess.store(stored, atOnce: true)
            }
        }
        if atOnce { try attempt() } else { try keyAccess.waitingForOthers(attempt) }
    }

    func excludingOtherProcesses<Result>(
        timeout: Duration,
        isolation: isolated (any Actor)?,
        _ body: () throws -> Result
    ) async throws -> Result {
        try await keyAccess.excludingOtherProcesses(timeout: timeout, isolation: isolation, body)
    }

    func waitForOthers() throws(PersistenceError) {
        guard let contended = keyAccess.contended else { return }
        try keyAccess.waitingForOthers { () throws(PersistenceError) in
            do { try contended.checkIsFree() } catch { throw keyAccess.explained(error, .write) }
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
        let start = clock.elapsed
        // The version of the copied corrupt value. Further attempts don't copy it again.
        var copiedVersion: Int?
        func attempt() throws(PersistenceError) {
            try keyAccess.channel.exclusively { () throws(PersistenceError) in
                let wasCompared = try prepareToWrite()
                if mayBeCorrupt { try keyAccess.refresh() }
                let (present, version) = try keyAccess.load()
                // While a value is unsaved, `present` is that value.
                if mayBeCorrupt || wasCompared, copiedVersion != version,
                    keyAccess.canCopyCorruptValue, case .corrupt = content(of: present)
                {
                    try keyAccess.copyCorruptValue()
                    copiedVersion = version
                }
                try keyAccess.store(stored, atOnce: true)
            }
        }
        do throws(PersistenceError) {
            try waiting(keyAccess.contended?.patience ?? .zero, clock, attempt)
        } catch {
            if error.operation == .transform {
                report(error)
            } else {
                setUnsaved(
                    stored,
                    because: error,
                    mayBeCorrupt: mayBeCorrupt,
                    hasCopied: copiedVersion != nil,
                    since: start
                )
            }
            throw error
        }
    }

    private func setUnsaved(
        _ stored: Base.Value?,
        because error: PersistenceError,
        mayBeCorrupt: Bool,
        hasCopied: Bool,
        since start: Duration
    ) {
        // The closure doesn't capture `keyAccess`: the channel stores the closure, and would keep
        // the access alive.
        let isCorrupt: @Sendable (Base.Value?) -> Bool = { [form] stored in
            stored.map { (try? form.decode($0)) == nil } ?? false
        }
        let channel = keyAccess.channel
        channel.exclusively {
            let hasCopied = hasCopied || channel.unsaved?.hasCopiedCorruptValue ?? false
            keyAccess.setUnsaved(
                stored,
                because: error,
                isCorrupt: channel.unsaved?.isCorrupt ?? (mayBeCorrupt ? isCorrupt : nil),
                since: start
            )
            if hasCopied { channel.recordCopyOfCorruptValue() }
        }
        if error.isBusy, channel.beginStoringInBackground() { storeInBackground() }
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
            return try form.encode(value)
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
            return .value(try form.decode(stored))
        } catch {
            return .corrupt(keyAccess.explained(error, .untransform))
        }
    }
}
