extension Duration {
    /// The time that a write may wait for another process without being noticed.
    ///
    /// A write takes a few milliseconds.
    static let moment = Duration.milliseconds(10)
}

extension Error {
    /// `true` if the lock of a folder couldn't be acquired, because another process or another
    /// thread of this process holds it.
    var isBusy: Bool {
        let error = (self as? PersistenceError)?.underlying ?? self
        return (error as? FileError)?.isBusy ?? false
    }
}

/// Calls a closure, and repeats it while its error is that a folder is locked, for a limited time.
///
/// The closure itself doesn't wait for the lock, so this thread holds no lock of this process while
/// it waits, unless the caller does. No system call waits for a limited time, so this function
/// polls, with pauses that double from 50 microseconds to 3 milliseconds.
///
/// - Parameters:
///   - timeout: The time after which the closure isn't repeated.
///   - clock: The clock that times the wait.
///   - mayWait: A closure that returns `false` to end the wait early.
///   - body: The closure.
/// - Throws: The error of the last call of the closure.
func waiting<Result, Failure: Error>(
    _ timeout: Duration,
    _ clock: any PersistenceClock,
    while mayWait: () -> Bool = { true },
    _ body: () throws(Failure) -> Result
) throws(Failure) -> Result {
    let deadline = clock.elapsed + timeout
    var pause = Duration.microseconds(50)
    while true {
        do throws(Failure) {
            return try body()
        } catch {
            guard error.isBusy, clock.elapsed < deadline, mayWait() else { throw error }
        }
        clock.pause(for: pause)
        pause = min(pause * 2, .milliseconds(3))
    }
}
