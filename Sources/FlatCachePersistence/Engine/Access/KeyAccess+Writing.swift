import Dispatch
import FlatCache

extension KeyAccess {
    func store(_ value: Value, atOnce: Bool) throws(PersistenceError) {
        let stored = try encoded(value)
        guard isUnsaved else { return try write(stored, atOnce: atOnce) }
        func attempt() throws(PersistenceError) {
            try channel.exclusively { () throws(PersistenceError) in
                _ = try prepareToWrite()
                try write(stored, atOnce: true)
            }
        }
        if atOnce { try attempt() } else { try waitingForOthers(attempt) }
    }

    func remove() throws(PersistenceError) { try write(nil) }

    private func encoded(_ value: Value) throws(PersistenceError) -> Base.Value? {
        do {
            return try form.encode(value)
        } catch {
            // A transformer may throw the error of another key.
            throw PersistenceError(.transform, key: key, storage: storage, underlying: error)
        }
    }

    /// Stores a value in its stored form, or removes it if it's `nil`.
    ///
    /// - Parameter atOnce: `true` to throw an error if another process holds the storage's lock,
    ///   instead of waiting.
    func write(_ stored: Base.Value?, atOnce: Bool = false) throws(PersistenceError) {
        let before = channel.version.current
        try storage.explaining(stored == nil ? .remove : .write, key) {
            if atOnce, let contended {
                try contended.storeAtOnce(stored, key: key)
            } else if let stored {
                try storage.storeValue(stored, key: key)
            } else {
                try storage.removeValue(for: key)
            }
        }
        // The announcement is still pending. Until it arrives, reads ask the storage.
        if !isShared, channel.version.current == before { channel.invalidate() }
    }

    // MARK: Other processes

    /// The storage, if it locks a folder to write.
    private var contended: (any ContendedStorage<Base.Key, Base.Value>)? {
        storage as? any ContendedStorage<Base.Key, Base.Value>
    }

    /// Calls a closure, and repeats it for a limited time while another process holds the storage's
    /// lock.
    private func waitingForOthers(
        _ body: () throws(PersistenceError) -> Void
    ) throws(PersistenceError) {
        guard let contended else { return try body() }
        try waiting(contended.timeout, contended.clock, body)
    }

    func waitForOthers() throws(PersistenceError) {
        guard let contended else { return }
        try waitingForOthers { () throws(PersistenceError) in
            try storage.explaining(.write, key, contended.checkIsFree)
        }
    }

    // MARK: Corrupt values

    private var canCopyCorruptValue: Bool {
        storage is any CorruptValueKeeping<Base.Key, Base.Value>
    }

    func copyCorruptValue() throws(PersistenceError) {
        try storage.explaining(.keepCorrupt, key) {
            guard let keeper = storage as? any CorruptValueKeeping<Base.Key, Base.Value> else {
                throw StorageFailure("the storage doesn't support CorruptValueKeeping")
            }
            _ = try keeper.keepCorruptValue(for: key)
        }
    }

    /// Copies a corrupt value that an unsaved value could not replace, if it's still there.
    ///
    /// The instance that set the unsaved value decides whether the stored one is corrupt, because
    /// other users of the key can have other forms.
    private func copyCorruptValue(replacedBy unsaved: UnsavedState<Base.Value>)
        throws(PersistenceError)
    {
        guard canCopyCorruptValue, let isCorrupt = unsaved.isCorrupt, channel.stores(isCorrupt)
        else { return }
        try copyCorruptValue()
        channel.recordCopyOfCorruptValue()
    }

    /// Prepares for a write while a value that may replace a corrupt one is unsaved.
    ///
    /// Reads return the unsaved value, so the storage is asked for the stored one.
    ///
    /// - Returns: `true` if the storage was asked.
    private func prepareToWrite() throws(PersistenceError) -> Bool {
        guard channel.unsaved?.isCorrupt != nil else { return false }
        try compareWithStorage()
        if let unsaved = channel.unsaved { try copyCorruptValue(replacedBy: unsaved) }
        return true
    }

    // MARK: Unsaved values

    func storeOrSetUnsaved(_ value: Value, mayBeCorrupt: Bool) throws(PersistenceError) {
        var stored: Base.Value?
        let start = clock.elapsed
        // The version of the copied corrupt value. Further attempts don't copy it again.
        var copiedVersion: Int?
        func attempt() throws(PersistenceError) {
            try channel.exclusively { () throws(PersistenceError) in
                let wasCompared = try prepareToWrite()
                if mayBeCorrupt { try refreshStored() }
                let (present, version) = try loadStored()
                // While a value is unsaved, `present` is that value.
                if mayBeCorrupt || wasCompared, copiedVersion != version, canCopyCorruptValue,
                    case .corrupt = content(of: present)
                {
                    try copyCorruptValue()
                    copiedVersion = version
                }
                try write(stored, atOnce: true)
            }
        }
        do throws(PersistenceError) {
            stored = try encoded(value)
            try waiting(contended?.patience ?? .zero, clock, attempt)
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
        // The closure doesn't capture this access: the channel stores the closure, and would keep
        // the access alive.
        let isCorrupt: @Sendable (Base.Value?) -> Bool = { [form] stored in
            stored.map { (try? form.decode($0)) == nil } ?? false
        }
        channel.exclusively {
            let hasCopied = hasCopied || channel.unsaved?.hasCopiedCorruptValue ?? false
            // Loads the stored value for later comparisons: only a change of the stored value
            // replaces the unsaved one.
            _ = try? loadStored()
            channel.setUnsaved(
                stored,
                because: error,
                isCorrupt: channel.unsaved?.isCorrupt ?? (mayBeCorrupt ? isCorrupt : nil),
                since: start,
                lease: openChannel()
            )
            if hasCopied { channel.recordCopyOfCorruptValue() }
        }
        if error.isBusy, channel.beginStoringInBackground() { storeInBackground() }
    }

    /// Tries again to store a value that could not be stored, if there is one.
    func retryStoring() {
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
        channel.exclusively {
            let start = clock.elapsed
            do throws(PersistenceError) {
                // If the stored value has changed meanwhile, it replaces the unsaved one.
                try compareWithStorage()
                guard let unsaved = channel.unsaved else { return true }
                let value = try loadStored().value
                try copyCorruptValue(replacedBy: unsaved)
                try write(value, atOnce: true)
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
        clock.run(at: clock.elapsed + delay, on: .global(qos: .utility)) { [self] in
            // First, so that a value that is set during the attempt schedules another one.
            channel.endStoringInBackground()
            if !storeUnsaved(), channel.beginStoringInBackground() {
                storeInBackground(after: min(delay * 2, .seconds(1)))
            }
        }
    }
}
