#if canImport(CPostgres)
import FlatCache
import Foundation

/// An executor that runs its jobs on a separate thread, and that waits for a socket in between.
///
/// Statements block the thread until their results are there, so it must not be one of the
/// concurrency pool.
final class ConnectionThread: SerialExecutor {
    /// The end of a wait for a socket.
    enum Wake: Sendable { case readable, timeout, interrupted }

    private let queue = ThreadQueue()

    init(_ name: String) {
        let thread = Thread { [queue] in queue.run() }
        thread.name = name
        thread.start()
    }

    deinit { queue.end() }

    func enqueue(_ job: consuming ExecutorJob) {
        // The executor lives until the job has ended, even if the job releases its actor.
        queue.append(UnownedJob(job), self)
    }

    /// Waits until a socket is readable, a time has passed, or `interruptWait()` is called.
    ///
    /// Jobs run in the meantime. A job that uses the socket must end the wait first.
    ///
    /// - Parameters:
    ///   - socket: The socket, or `nil` to wait for the time alone.
    ///   - timeout: The time.
    func wait(for socket: Int32?, timeout: Duration) async -> Wake {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.beginWait(for: socket, until: .now + timeout, continuation)
            }
        } onCancel: {
            queue.endWait(.interrupted)
        }
    }

    /// Ends the present wait, if there is one.
    func interruptWait() { queue.endWait(.interrupted) }
}

/// The jobs of a thread, and the socket that it waits for.
private final class ThreadQueue: @unchecked Sendable {
    private struct Wait {
        let socket: Int32?
        let deadline: ContinuousClock.Instant
        let continuation: CheckedContinuation<ConnectionThread.Wake, Never>
    }

    private let lock = NSLock()
    // Guarded by `lock`.
    private var jobs: [(UnownedJob, ConnectionThread)] = []
    private var wait: Wait?
    private var hasEnded = false
    private var isInterrupted = false
    /// `true` from the moment at which the thread finds no job until it's woken.
    private var isAsleep = false
    /// The two ends of a pipe that wakes the thread.
    private let wakeReader: Int32
    private let wakeWriter: Int32

    init() {
        var ends: [Int32] = [-1, -1]
        precondition(pipe(&ends) == 0, "The system has no file descriptor left for a connection.")
        (wakeReader, wakeWriter) = (ends[0], ends[1])
        for end in ends {
            _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
    }

    deinit {
        close(wakeReader)
        close(wakeWriter)
    }

    func append(_ job: UnownedJob, _ executor: ConnectionThread) {
        change { jobs.append((job, executor)) }
    }

    func end() { change { hasEnded = true } }

    func beginWait(
        for socket: Int32?,
        until deadline: ContinuousClock.Instant,
        _ continuation: CheckedContinuation<ConnectionThread.Wake, Never>
    ) {
        let isFirst = lock.withLock {
            defer { isInterrupted = false }
            guard wait == nil, !isInterrupted, !Task.isCancelled else { return false }
            wait = Wait(socket: socket, deadline: deadline, continuation: continuation)
            return true
        }
        guard isFirst else { return continuation.resume(returning: .interrupted) }
        // A task that is cancelled from now on ends the wait. One that was cancelled before its
        // wait began has found none.
        if Task.isCancelled { endWait(.interrupted) }
        // The thread may sleep without the socket.
        change {}
    }

    func endWait(_ reason: ConnectionThread.Wake) {
        let ended = lock.withLock {
            defer { wait = nil }
            // The next wait ends at once, so that no interruption is lost.
            if wait == nil { isInterrupted = true }
            return wait
        }
        ended?.continuation.resume(returning: reason)
    }

    /// Changes the state, and wakes the thread if it sleeps.
    private func change(_ body: () -> Void) {
        let mustWake = lock.withLock {
            body()
            defer { isAsleep = false }
            return isAsleep
        }
        if !mustWake { return }
        var byte: UInt8 = 0
        _ = write(wakeWriter, &byte, 1)
    }

    func run() {
        while true {
            let (job, wait, hasEnded) = lock.withLock {
                isAsleep = jobs.isEmpty
                return (jobs.isEmpty ? nil : jobs.removeFirst(), self.wait, self.hasEnded)
            }
            if let (job, executor) = job {
                job.runSynchronously(on: executor.asUnownedSerialExecutor())
            } else if hasEnded {
                return
            } else {
                sleep(wait)
            }
        }
    }

    /// Sleeps until there is a job, or a wait ends.
    private func sleep(_ wait: Wait?) {
        var descriptors = [pollfd(fd: wakeReader, events: Int16(POLLIN), revents: 0)]
        if let socket = wait?.socket {
            descriptors.append(pollfd(fd: socket, events: Int16(POLLIN), revents: 0))
        }
        let timeout = wait.map { $0.deadline.milliseconds } ?? -1
        _ = poll(&descriptors, nfds_t(descriptors.count), timeout)
        if descriptors[0].revents != 0 {
            var bytes: [UInt8] = Array(repeating: 0, count: 64)
            _ = read(wakeReader, &bytes, bytes.count)
        }
        guard let wait else { return }
        if descriptors.count > 1, descriptors[1].revents != 0 {
            endWait(.readable)
        } else if wait.deadline <= .now {
            endWait(.timeout)
        }
    }
}

extension ContinuousClock.Instant {
    /// The time until the instant in milliseconds, rounded up, as `poll` takes it.
    var milliseconds: Int32 {
        let left = ContinuousClock.now.duration(to: self)
        if left <= .zero { return 0 }
        let (seconds, attoseconds) = left.components
        if seconds > 1_000_000 { return 1_000_000_000 }
        return Int32(seconds * 1_000 + attoseconds / 1_000_000_000_000_000 + 1)
    }
}
#endif
