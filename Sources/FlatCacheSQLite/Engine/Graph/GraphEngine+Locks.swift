#if canImport(SQLite3) || canImport(CSQLite)
extension GraphEngine {
    /// The longest time for which the thread waits for the lock of another connection, and the time
    /// between two looks at the lock.
    private static let lockInterval: Duration = .milliseconds(10)

    /// Runs a closure that writes to the file, and runs it again when another connection no longer
    /// holds the lock for writing.
    ///
    /// SQLite would block the thread for `lockTimeout`, and with it all reads, although reads need
    /// no lock. The method lets other jobs run instead. The wait takes real time, as SQLite's own
    /// waits do, and doesn't end if the task is cancelled.
    ///
    /// - Parameter body: A closure that writes. If it throws because of the lock, it can run again.
    /// - Returns: The result of the closure.
    /// - Throws: The error of the closure, also if the lock is held for longer than `lockTimeout`.
    func waitingForLock<Result>(
        _ body: () throws(SQLiteGraphError) -> Result
    ) async throws(SQLiteGraphError) -> Result {
        let start = ContinuousClock.now
        while true {
            do throws(SQLiteGraphError) {
                return try database.waiting(atMost: Self.lockInterval, body)
            } catch {
                guard error.kind == .locked else { throw error }
                #if TestHooks
                onWaitForLock()
                #endif
                repeat {
                    if start.duration(to: .now) >= lockTimeout { throw error }
                    await Task { try? await Task.sleep(for: Self.lockInterval) }.value
                } while database.isLockedByAnother
            }
        }
    }
}
#endif
