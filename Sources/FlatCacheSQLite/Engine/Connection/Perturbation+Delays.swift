#if TestHooks && (canImport(SQLite3) || canImport(CSQLite))
import FlatCache
import Foundation

extension Perturbation {
    /// Delays a graph's thread for up to some milliseconds, now and then.
    ///
    /// A graph seldom meets other threads, connections and processes, so it's delayed more often
    /// than a thread that acquires a lock.
    static func delayThread() {
        guard chooses(oneIn: 8) else { return }
        var microseconds: UInt32 = 50
        while microseconds < 5_000, chooses(oneIn: 2) { microseconds *= 2 }
        usleep(microseconds)
    }
}
#endif
