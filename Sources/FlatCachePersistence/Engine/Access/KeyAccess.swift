import FlatCache
import Foundation

/// The access to one key of one storage.
///
/// It offers the same operations for every storage, with or without its own channels.
final class KeyAccess<Base: Storage>: Sendable {
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
    /// The key of the value in earlier versions of the program, also cleared by a removal.
    private let oldKey: Base.Key?
    /// The storage's own channels that order its changes, if it has any.
    private let channels: StorageChannels<Base.Key, Base.Value>?
    private var isShared: Bool { channels != nil }
    private let detection: ChangeDetection
    private let lease: ChannelLease<Base.Value>

    init(
        _ storage: Base,
        _ key: Base.Key,
        migratingFrom oldKey: Base.Key? = nil
    ) {
        self.storage = storage
        self.oldKey = oldKey
        if let shared = storage as? any ChannelledStorage<Base.Key, Base.Value> {
            let channels = shared.channels
            if let url = key as? URL, storage is FileStorage,
                case let (found, token) = FileChannels.follow(url), let found = found as? Base.Key
            {
                (self.key, channelKey, following) = (key, found, token)
            } else {
                channelKey = shared.channelKey(for: key)
                (self.key, following) = (channelKey, nil)
            }
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
        detection = ChangeDetection(of: storage, self.key, lease.channel)
    }

    /// The records of the storage's keys, if the storage has channels.
    var records: KeyRecords<Base.Key>? { channels?.records }

    /// The record of the key's reported errors: if the storage has channels, a shared one.
    var errors: ErrorRecord { records?.errors(forKey: key) ?? ErrorRecord() }

    /// The name of the value in messages.
    var name: @Sendable () -> String { { [key, storage] in "'\(key)' in \(storage)" } }

    /// The check that proves the known value to be current, if the storage provides one.
    var check: ValueCheck? {
        if case .checked(let check) = detection { check } else { nil }
    }

    /// `true` if the storage announces every change of the key.
    var isAnnounced: Bool {
        if case .announced = detection { true } else { false }
    }

    /// Compares the known value with the stored one, unless the storage announces every change.
    ///
    /// If they differ, the stored value becomes the known one, and the listeners are notified.
    ///
    /// - Throws: An error if the storage could not be read.
    func refresh() throws(PersistenceError) {
        // A load of an unknown value asks the storage anyway.
        if isAnnounced || !channel.isKnown { return }
        do {
            if try isCurrent() { return }
        } catch {
            throw explained(error, .read)
        }
        try compareWithStorage()
    }

    /// Compares the known value with the stored one.
    ///
    /// - Throws: An error if the storage could not be read.
    func compareWithStorage() throws(PersistenceError) {
        do {
            if isShared {
                _ = try storage.retrieveValue(for: key)
            } else {
                _ = try channel.reload { try storage.retrieveValue(for: key) }
            }
        } catch {
            throw explained(error, .read)
        }
    }

    /// Returns whether the storage holds the known value.
    ///
    /// It returns `false` for a value that can only be compared under the lock of the key.
    private func isCurrent() throws -> Bool {
        switch detection {
        case .announced: true
        case .checked(let isCurrent): isCurrent()
        // A storage with channels locks the key itself, and compares.
        case .asked: try !isShared && channel.stores(storage.retrieveValue(for: key))
        }
    }

    /// Returns the current value and its version.
    func load() throws(PersistenceError) -> (value: Base.Value?, version: Int) {
        do {
            return try channel.load { try storage.retrieveValue(for: key) }
        } catch {
            throw explained(error, .read)
        }
    }

    /// Asks the storage for the current value.
    func reload() throws(PersistenceError) -> Base.Value? {
        do {
            return try storage.retrieveValue(for: key)
        } catch {
            throw explained(error, .read)
        }
    }

    /// The storage, if it locks a folder to write.
    var contended: (any ContendedStorage<Base.Key, Base.Value>)? {
        storage as? any ContendedStorage<Base.Key, Base.Value>
    }

    /// Calls a closure, and repeats it for a limited time while another process holds the storage's
    /// lock.
    func waitingForOthers<Result>(
        _ body: () throws(PersistenceError) -> Result
    ) throws(PersistenceError) -> Result {
        guard let contended else { return try body() }
        return try waiting(contended.timeout, contended.clock, body)
    }

    /// Stores a value, or removes it if it's `nil`.
    ///
    /// - Parameter atOnce: `true` to throw an error if another process holds the storage's lock,
    ///   instead of waiting.
    func store(_ value: Base.Value?, atOnce: Bool = false) throws(PersistenceError) {
        let before = channel.version.current
        do {
            if atOnce, let contended {
                if value == nil, let oldKey { try contended.storeAtOnce(nil, key: oldKey) }
                try contended.storeAtOnce(value, key: key)
            } else if let value {
                try storage.storeValue(value, key: key)
            } else {
                // The old key comes first: a process that ends in between leaves the newer value.
                if let oldKey { try storage.removeValue(for: oldKey) }
                try storage.removeValue(for: key)
            }
        } catch {
            throw explained(error, value == nil ? .remove : .write)
        }
        // The announcement is still pending. Until it arrives, reads ask the storage.
        if !isShared, channel.version.current == before { channel.invalidate() }
    }

    /// Makes reads return a value that could not be stored, even after this instance is released.
    func setUnsaved(
        _ value: Base.Value?,
        because error: PersistenceError,
        isCorrupt: (@Sendable (Base.Value?) -> Bool)?,
        since start: Duration
    ) {
        // Loads the stored value for later comparisons: only a change of the stored value replaces
        // the unsaved one.
        _ = try? load()
        channel.setUnsaved(
            value,
            because: error,
            isCorrupt: isCorrupt,
            since: start,
            lease: channels?.open(channelKey)
        )
    }

    var canCopyCorruptValue: Bool { storage is any CorruptValueKeeping<Base.Key, Base.Value> }

    /// Copies the corrupt stored value.
    ///
    /// - Throws: An error if the storage can't copy it.
    func copyCorruptValue() throws(PersistenceError) {
        guard let keeper = storage as? any CorruptValueKeeping<Base.Key, Base.Value> else {
            throw explained(StorageFailure.noCopies(without: "CorruptValueKeeping"), .keepCorrupt)
        }
        do {
            _ = try keeper.keepCorruptValue(for: key)
        } catch {
            throw explained(error, .keepCorrupt)
        }
    }

    /// Returns an error that names the key and the storage.
    func explained(
        _ error: any Error,
        _ operation: PersistenceError.Operation
    ) -> PersistenceError {
        storage.explained(error, operation, key)
    }
}
