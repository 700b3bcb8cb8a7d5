import FlatCache

extension StorageChannels {
    /// Keeps a key's channel open, and its known value current, until the lease is closed.
    func open(_ key: Key) -> ChannelLease<Value> {
        let channel = take(key)
        channel.beginUse { watch?(key, self) }
        return ChannelLease(channel) { [self] in
            channel.endUse()
            leave(key)
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

/// A registration that keeps a channel open until it's closed or released.
final class ChannelLease<Value: Sendable>: Sendable {
    let channel: StorageChannel<Value>
    private let end: Disposable

    init(_ channel: StorageChannel<Value>, end: @escaping @Sendable () -> Void) {
        self.channel = channel
        self.end = Disposable(end)
    }

    func close() { end.dispose() }
}
