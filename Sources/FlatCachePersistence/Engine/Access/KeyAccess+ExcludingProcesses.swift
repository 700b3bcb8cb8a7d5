import Dispatch
import FlatCache

extension KeyAccess {
    /// Runs a closure while this thread holds the lock that excludes other processes; see
    /// `ValueAccess`.
    ///
    /// The task is suspended while another process, or another thread, holds the lock.
    func excludingOtherProcesses<Result>(
        timeout: Duration,
        isolation: isolated (any Actor)?,
        _ body: () throws -> Result
    ) async throws -> Result {
        // No other process has its values.
        if storage is InMemoryStorage<Base.Key, Base.Value> { return try body() }
        guard let lockable = storage as? any LockableStorage<Base.Key, Base.Value> else {
            let reason = "this storage can't exclude other processes"
            throw explained(
                StorageFailure("\(reason); call update(_:), which excludes other threads"),
                .write
            )
        }
        let deadline = channel.clock.elapsed + timeout
        var pause = Duration.milliseconds(1)
        while true {
            try Task.checkCancellation()
            let isLate = channel.clock.elapsed >= deadline
            let folder = try storage.explaining(.write, key) {
                try lockable.lockedFolder(forKey: key)
            }
            if let lock = try lock(folder, ifFree: !isLate) { return try lock.using(folder, body) }
            await sleep(for: pause)
            pause = min(pause * 2, .moment)
        }
    }

    /// Locks a folder, or returns `nil` if another process or thread holds the lock.
    ///
    /// - Parameter ifFree: `false` to throw an error instead of returning `nil`.
    private func lock(_ folder: String, ifFree: Bool) throws(PersistenceError) -> FolderLock? {
        do {
            return try FolderLock(folder: folder, timeout: .zero, clock: channel.clock)
        } catch {
            if ifFree, error.isBusy { return nil }
            throw explained(error, .write)
        }
    }

    private func sleep(for duration: Duration) async {
        await withUnsafeContinuation { continuation in
            let clock = channel.clock
            clock.run(at: clock.elapsed + duration, on: .global(qos: .userInitiated)) {
                continuation.resume()
            }
        }
    }
}
