import Dispatch
import FlatCache

/// A snapshot that another thread keeps open.
final class OpenSnapshot: Sendable {
    private let hasOpened = DispatchSemaphore(value: 0)
    private let mustClose = DispatchSemaphore(value: 0)
    private let hasClosed = DispatchSemaphore(value: 0)

    /// Opens a snapshot.
    init(of cache: Cache) {
        Threads.start { [self] in
            cache.withSnapshot { _ in
                hasOpened.signal()
                mustClose.wait()
            }
            hasClosed.signal()
        }
        hasOpened.wait()
    }

    /// Closes the snapshot and returns when `withSnapshot` has returned on its thread.
    func close() {
        mustClose.signal()
        hasClosed.wait()
    }
}
