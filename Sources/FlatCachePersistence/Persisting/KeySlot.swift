import FlatCache

/// One key of one storage: what all that goes on there has in common, whatever the storage can do.
final class KeySlot<Place: Storage>: Sendable {
    let storage: Place
    /// The key, as the channels call it: what it stands for now is used from now on.
    let key: Place.Key
    let channel: StorageChannel<Place.Value>
    /// Whether the storage itself brings what happens into the channel, and in order.
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
            // The announcements of a storage that makes them all are passed on as they come:
            // whether a value is new is for the storage to say.
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

    /// The check of the known value, if that is the way in which it is proved to be current.
    var check: ValueCheck? {
        if case .checked(let check) = currency { check } else { nil }
    }

    /// `true` if the storage announces every change of the key.
    var isAnnounced: Bool {
        if case .announced = currency { true } else { false }
    }

    /// Compares the known value with the stored one, unless the storage announces every change.
    ///
    /// If they differ, the stored value becomes the known one, and the listeners are notified.
    ///
    /// - Throws: If the storage could not be read.
    func refresh() throws(PersistenceError) {
        // Whoever loads an unknown value asks the storage anyway.
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
    /// - Throws: If the storage could not be read.
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

    /// Returns `true` if the storage holds the known value.
    ///
    /// A value that can only be compared
    /// under the lock of the key counts as another.
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

    /// What counts now, and its version.
    func load() throws(PersistenceError) -> (value: Place.Value?, version: Int) {
        do {
            return try channel.load { try storage.retrieveValue(for: key) }
        } catch {
            throw explained(error, .read)
        }
    }

    /// What the storage says that counts now.
    func reload() throws(PersistenceError) -> Place.Value? {
        do {
            return try storage.retrieveValue(for: key)
        } catch {
            throw explained(error, .read)
        }
    }

    /// Stores a value, or removes the one that is there.
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
        // It will still tell; until then it is to be asked.
        if !isShared, channel.version.current == before { channel.invalidate() }
    }

    /// Whether the storage can keep a copy of what is there.
    var canKeepCorrupt: Bool { storage is any CorruptValueKeeping<Place.Key, Place.Value> }

    /// Has the storage keep a copy of what is there, if it can.
    ///
    /// - Throws: If there is something that it doesn't keep.
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

    /// An error that says for which key of which storage it is.
    func explained(
        _ error: any Error,
        _ operation: PersistenceError.Operation
    ) -> PersistenceError {
        storage.explained(error, operation, key)
    }
}

/// Says that a storage cannot put anything aside.
struct NoPlaceToKeep: Error, CustomStringConvertible {
    /// What it would have to have.
    let asked: String

    var description: String { "it is kept nowhere, since the storage has no \(asked)" }
}
