import FlatCache

/// One key of one storage: what all that goes on there has in common, whatever the storage can do.
final class KeySlot<Place: Storage>: Sendable {
    let storage: Place
    /// The key, as the channels call it: what it stands for now is used from now on.
    let key: Place.Key
    let channel: StorageChannel<Place.Value>
    /// Whether the storage itself brings what happens into the channel, and in order.
    private let isShared: Bool
    private let lease: ChannelLease<Place.Value>

    init(_ storage: Place, _ key: Place.Key) {
        self.storage = storage
        if let shared = storage as? any ChannelledStorage<Place.Key, Place.Value> {
            isShared = true
            (self.key, lease) = Self.open(shared, key)
        } else {
            isShared = false
            self.key = key
            // What a storage of somebody else's tells is told on: whether it is news is for it to say.
            let channel = StorageChannel<Place.Value> { _, _ in false }
            channel.beginUse {
                storage.addUpdateListener(forKey: key) { [weak channel] in channel?.noteTold($0) }
            }
            lease = ChannelLease(channel) { channel.endUse() }
        }
        channel = lease.channel
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
