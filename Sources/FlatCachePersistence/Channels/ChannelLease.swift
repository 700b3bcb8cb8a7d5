import FlatCache

/// The right to rely on a channel, until it is closed or goes.
final class ChannelLease<Value: Sendable>: Sendable {
    let channel: StorageChannel<Value>
    private let end: Disposable

    init(_ channel: StorageChannel<Value>, end: @escaping @Sendable () -> Void) {
        self.channel = channel
        self.end = Disposable(end)
    }

    func close() { end.dispose() }
}
