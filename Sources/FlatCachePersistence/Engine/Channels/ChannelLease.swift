import FlatCache

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
