import FlatCache
import Foundation

/// A thread that runs a closure.
package struct RunningThread {
    private let end = Signal()

    /// Starts a thread.
    ///
    /// The thread releases the closure before it ends for other threads, so that these find the
    /// objects released that only the closure has retained.
    ///
    /// - Parameter stackSize: The size of its stack in bytes.
    package init(stackSize: Int = 8 << 20, _ body: @escaping @Sendable () -> Void) {
        let body = Locked<(@Sendable () -> Void)?>(body)
        let thread = Thread { [end] in
            body.withLock { $0.take() }?()
            end.fire()
        }
        thread.stackSize = stackSize
        thread.start()
    }

    /// Waits until the closure has returned.
    ///
    /// - Returns: `true` if the closure returned in time.
    package func wait() -> Bool { end.wait() }

    package var hasEnded: Bool { end.isFired }
}

/// Runs a closure on several threads at once and waits for all of them.
///
/// - Returns: `true` if all threads ended in time.
package func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) -> Bool {
    let start = Signal()
    let threads = (0..<count).map { index in
        RunningThread {
            guard start.wait() else { return }
            body(index)
        }
    }
    start.fire()
    return threads.allSatisfy { $0.wait() }
}

/// Runs closures at once, each on a thread of its own, and waits for all of them.
///
/// - Returns: `true` if all threads ended in time.
package func onThreads(_ bodies: (@Sendable () -> Void)...) -> Bool {
    onThreads(bodies.count) { bodies[$0]() }
}
