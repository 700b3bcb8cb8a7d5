import FlatCache

extension StorageChannels {
    /// Keeps a key's channel open until the lease is closed.
    ///
    /// - Parameter isWatched: `true` to keep the known value current as well.
    func open(_ key: Key, isWatched: Bool = true) -> ChannelLease<Value> {
        let channel = take(key)
        if isWatched { channel.beginUse { watch?(key, self) } }
        return ChannelLease(channel) { [self] in
            if isWatched { channel.endUse() }
            if endKeepingOpen(key, channel) {
                channel.endUse()
                leave(key)
            }
            leave(key)
        }
    }

    /// Keeps an open channel in use until a lease is closed after its unsaved value has been stored
    /// or replaced.
    ///
    /// The caller must hold the lock of the key.
    func keepOpen(_ key: Key, _ channel: StorageChannel<Value>) {
        let isNew = entries.withLock { entries in
            guard entries[ExactKey(key)]?.isKeptOpen == false else { return false }
            entries[ExactKey(key)]?.isKeptOpen = true
            entries[ExactKey(key)]?.users += 1
            return true
        }
        if isNew { channel.beginUse { watch?(key, self) } }
    }

    /// Ends keeping a channel open if its value is no longer unsaved, and returns whether it did.
    private func endKeepingOpen(_ key: Key, _ channel: StorageChannel<Value>) -> Bool {
        guard entries.withLock({ $0[ExactKey(key)]?.isKeptOpen == true }) else { return false }
        // Under the key's lock, because another thread may be about to set an unsaved value.
        return channel.exclusively {
            if channel.isUnsaved { return false }
            return entries.withLock { entries in
                guard entries[ExactKey(key)]?.isKeptOpen == true else { return false }
                entries[ExactKey(key)]?.isKeptOpen = false
                return true
            }
        }
    }

    func openKeys() -> [Key] { entries.withLock { $0.keys.map(\.key) } }

    func withChannel<Result>(
        _ key: Key,
        _ body: (StorageChannel<Value>) throws -> Result
    ) rethrows -> Result {
        let channel = take(key)
        defer { leave(key) }
        return try body(channel)
    }

    private func take(_ key: Key) -> StorageChannel<Value> {
        entries.withLock { entries in
            var entry =
                entries[ExactKey(key)]
                ?? Entry(channel: StorageChannel(areEqual: areEqual, clock: clock))
            entry.users += 1
            entries[ExactKey(key)] = entry
            return entry.channel
        }
    }

    private func leave(_ key: Key) {
        let last = entries.withLock { entries -> StorageChannel<Value>? in
            guard var entry = entries[ExactKey(key)] else { return nil }
            entry.users -= 1
            entries[ExactKey(key)] = entry.users > 0 ? entry : nil
            return entry.channel
        }
        // Released outside the lock.
        withExtendedLifetime(last) {}
    }
}
