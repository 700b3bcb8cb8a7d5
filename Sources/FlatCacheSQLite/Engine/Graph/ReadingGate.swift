#if canImport(SQLite3) || canImport(CSQLite)
import Foundation

/// A gate that is closed while a flush reads the values of a snapshot.
final class ReadingGate: @unchecked Sendable {
    private let condition = NSCondition()
    // Guarded by `condition`.
    private var reader: Thread?

    func begin() { setReader(.current) }

    func end() { setReader(nil) }

    private func setReader(_ thread: Thread?) {
        condition.lock()
        reader = thread
        condition.broadcast()
        condition.unlock()
    }

    /// Waits until no flush of another thread reads.
    ///
    /// The flush's own thread can end the cache, and must not wait for itself.
    func waitForEnd() {
        condition.lock()
        while let reader, reader !== Thread.current { condition.wait() }
        condition.unlock()
    }
}
#endif
