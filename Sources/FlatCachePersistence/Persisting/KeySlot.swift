import FlatCache

/// The shared access to one key of one storage, whatever the storage supports.
final class KeySlot<Place: Storage>: Sendable {
    let storage: Place
    /// The key as returned by the storage's `channelKey(for:)`, resolved once.
    let key: Place.Key
    let channel: StorageChannel<Place.Value>
    /// A Boolean value that indicates whether the storage keeps its own channels, which order its
    /// changes.
    private let isShared: Bool
    private let currency: ValueCurrency
    private let lease: ChannelLease<Place.Value>

    init(_ storage: Place, _ key: Place.Key) {
        self.storage = storage
        if let shared = storage as? any ChannelledStorage<Place.Key, Place.Value> {
            isShared = true
            (self.key, lease) = Self.open(shared, key)
        } else {
            isShared = false
            self.key = key
            let isComplete = storage.announcesEveryChange
            // If a storage announces every change, its announcements are passed on unchanged: the
            // storage decides whether a value is new.
            let channel = StorageChannel<Place.Value>(
                areEqual: isComplete ? nil : ValueComparing.found
            )
            channel.beginUse {
                storage.addUpdateListener(forKey: key) { [weak channel] value in
                    channel?.noteTold(value, isRepeatable: !isComplete)
                }
            }
            lease = ChannelLease(channel) { channel.endUse() }
        }
        channel = lease.channel
        currency = ValueCurrency(of: storage, self.key, lease.channel)
    }

    /// The check that proves the known value to be current, if the storage provides one.
    var check: ValueCheck? {
        if case .checked(let check) = currency { check } else { nil }
    }

    /// A Boolean value that indicates whether the storage announces every change of the key.
    var isAnnounced: Bool {
        if case .announced = currency { true } else { false }
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
        try ask()
    }

    /// Compares the known value with the stored one.
    ///
    /// - Throws: An error if the storage could not be read.
    func ask() throws(PersistenceError) {
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
        switch currency {
        case .announced: true
        case .checked(let isCurrent): isCurrent()
        // A storage with channels locks the key itself, and compares.
        case .asked: try !isShared && channel.stores(storage.retrieveValue(for: key))
        }
    }

    private static func open<Shared: ChannelledStorage<Place.Key, Place.Value>>(
        _ storage: Shared,
        _ key: Place.Key
    ) -> (Place.Key, ChannelLease<Place.Value>) {
        let key = storage.channelKey(for: key)
        return (key, storage.channels.open(key))
    }

    /// Returns the current value and its version.
    func load() throws(PersistenceError) -> (value: Place.Value?, version: Int) {
        do {
            return try channel.load { try storage.retrieveValue(for: key) }
        } catch {
            throw explained(error, .read)
        }
    }

    /// Asks the storage for the current value.
    func reload() throws(PersistenceError) -> Place.Value? {
        do {
            return try storage.retrieveValue(for: key)
        } catch {
            throw explained(error, .read)
        }
    }

    /// Stores a value, or removes it if it's `nil`.
    func store(_ value: Place.Value?) throws(PersistenceError) {
        let before = channel.version.current
        do {
            if let value {
                try storage.storeValue(value, key: key)
            } else {
                try storage.removeValue(for: key)
            }
        } catch {
            throw explained(error, value == nil ? .remove : .write)
        }
        // The announcement is still pending. Until it arrives, reads ask the storage.
        if !isShared, channel.version.current == before { channel.invalidate() }
    }

    /// A Boolean value that indicates whether the storage can keep a copy of a corrupt value.
    var canKeepCorrupt: Bool { storage is any CorruptValueKeeping<Place.Key, Place.Value> }

    /// Keeps a copy of the stored value.
    ///
    /// - Throws: An error if the storage can't keep a copy.
    func keepCorrupt() throws(PersistenceError) {
        guard let keeper = storage as? any CorruptValueKeeping<Place.Key, Place.Value> else {
            throw explained(NoPlaceToKeep(asked: "CorruptValueKeeping"), .keepCorrupt)
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

/// An error for a storage that can't keep copies of corrupt values.
struct NoPlaceToKeep: Error, CustomStringConvertible {
    /// The protocol or method that the storage would have to support.
    let asked: String

    var description: String { "the storage can't keep a copy: it doesn't support \(asked)" }
}
