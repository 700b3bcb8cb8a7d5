import FlatCache

/// The access to one key of one storage, with a conversion between values and their stored form.
///
/// It offers the same operations for every storage, with or without its own channels.
final class KeyAccess<Value: Sendable, Base: Storage>: ValueAccess {
    let storage: Base
    /// The result of the storage's `channelKey(for:)`.
    ///
    /// For a file, it's the given URL, because the storage follows links at each call.
    let key: Base.Key
    /// The key of the channel, if the storage has channels.
    private let channelKey: Base.Key
    /// The token that keeps the path of a file in use.
    private let following: Disposable?
    let channel: StorageChannel<Base.Value>
    /// The storage's own channels that order its changes, if it has any.
    private let channels: StorageChannels<Base.Key, Base.Value>?
    var isShared: Bool { channels != nil }
    let check: ValueCheck?
    let isAnnounced: Bool
    private let lease: ChannelLease<Base.Value>
    let form: StoredForm<Value, Base.Value>

    init(
        _ storage: Base,
        _ key: Base.Key,
        as form: StoredForm<Value, Base.Value>
    ) {
        self.storage = storage
        self.form = form
        if let shared = storage as? any ChannelledStorage<Base.Key, Base.Value> {
            let channels = shared.channels
            (channelKey, following) = shared.follow(key)
            // A storage of files follows links at each call.
            self.key = following == nil ? channelKey : key
            self.channels = channels
            lease = channels.open(channelKey)
        } else {
            (self.key, channelKey, following) = (key, key, nil)
            channels = nil
            let isComplete = storage.announcesEveryChange
            // If a storage announces every change, its announcements are passed on unchanged: the
            // storage decides whether a value is new.
            let channel = StorageChannel<Base.Value>(
                areEqual: isComplete ? nil : ValueComparing.found,
                clock: SystemClock()
            )
            channel.beginUse {
                storage.addUpdateListener(forKey: key) { [weak channel] value in
                    channel?.receive(value, isRepeatable: !isComplete)
                }
            }
            lease = ChannelLease(channel) { channel.endUse() }
        }
        channel = lease.channel
        check = (storage as? any CheckedStorage<Base.Key, Base.Value>)?
            .makeCheck(forKey: self.key, channel)
        isAnnounced = check == nil && storage.announcesEveryChange
    }

    /// The record of the key's reported errors: if the storage has channels, a shared one.
    var errors: ErrorRecord { channels?.errors(forKey: key) ?? ErrorRecord() }

    var place: String { "'\(PersistenceError.name(of: key))' in \(storage)" }

    var version: ValueVersion { channel.version }

    var clock: any PersistenceClock { channel.clock }

    var isUnsaved: Bool { channel.isUnsaved }

    // MARK: Reading

    func refresh() throws(PersistenceError) {
        retryStoring()
        do throws(PersistenceError) { try refreshStored() } catch {
            // Reads return the unsaved value, so a failure to read the stored one doesn't matter.
            if !isUnsaved { throw error }
        }
    }

    /// Compares the known value with the stored one, unless the storage announces every change.
    func refreshStored() throws(PersistenceError) {
        // A load of an unknown value asks the storage anyway.
        if isAnnounced || !channel.isKnown { return }
        if try !storage.explaining(.read, key, isCurrent) { try compareWithStorage() }
    }

    /// Compares the known value with the stored one.
    ///
    /// - Throws: An error if the storage could not be read.
    func compareWithStorage() throws(PersistenceError) {
        try storage.explaining(.read, key) {
            if isShared {
                _ = try storage.retrieveValue(for: key)
            } else {
                _ = try channel.reload { try storage.retrieveValue(for: key) }
            }
        }
    }

    /// Returns whether the storage holds the known value.
    ///
    /// It returns `false` for a value that can only be compared under the lock of the key.
    private func isCurrent() throws -> Bool {
        if let check { return check() }
        // A storage with channels locks the key itself, and compares.
        return try !isShared && channel.stores(storage.retrieveValue(for: key))
    }

    func load() throws(PersistenceError) -> (content: PersistedContent<Value>, version: Int) {
        let (stored, version) = try loadStored()
        return (content(of: stored), version)
    }

    func reload() throws(PersistenceError) -> PersistedContent<Value> {
        content(of: try reloadStored())
    }

    /// Returns the current stored form and its version.
    func loadStored() throws(PersistenceError) -> (value: Base.Value?, version: Int) {
        try storage.explaining(.read, key) {
            try channel.load { try storage.retrieveValue(for: key) }
        }
    }

    /// Asks the storage for the current stored form.
    func reloadStored() throws(PersistenceError) -> Base.Value? {
        try storage.explaining(.read, key) { try storage.retrieveValue(for: key) }
    }

    // Inlined, because each function looks up the metadata of its generic types by itself (row 20b
    // of Benchmarks).
    @inline(__always)
    func content(of stored: Base.Value?) -> PersistedContent<Value> {
        guard let stored else { return .absent }
        do {
            return .value(try form.decode(stored))
        } catch {
            return .corrupt(explained(error, .untransform))
        }
    }

    func listen(
        delivery: CacheDelivery,
        toChanges receiveContent: @escaping @Sendable (PersistedContent<Value>, Int) -> Void,
        toErrors receiveError: @escaping @Sendable (PersistenceError) -> Void
    ) -> Disposable {
        // Loads the current value for comparison with later changes from outside. If it can't be
        // read now, a later read or change reports it.
        _ = try? refreshStored()
        _ = try? loadStored()
        let listening = channel.addListener(delivery: delivery) { [self] event in
            switch event {
            case .changed(let stored, let version): receiveContent(content(of: stored), version)
            case .failed(let error): receiveError(explained(error, .read))
            }
        }
        return Disposable(stopping: listening.dispose) { [self] in
            // The token of the listener has ended the calls. This capture has kept the key in use
            // until now.
            withExtendedLifetime(self) {}
        }
    }

    // MARK: The channel

    func exclusively<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try channel.exclusively(body)
    }

    func report(_ error: PersistenceError) { channel.report(error) }

    func call(_ calls: [@Sendable () -> Void]) { channel.call(calls) }

    func explained(
        _ error: any Error,
        _ operation: PersistenceError.Operation
    ) -> PersistenceError {
        storage.explained(error, operation, key)
    }

    /// Returns a lease that keeps the channel open, if the storage has channels.
    func openChannel() -> ChannelLease<Base.Value>? { channels?.open(channelKey) }
}
