import FlatCache
import Foundation

/// A thread that runs a closure.
package struct RunningThread {
    private let end = Signal()

    /// Starts a thread.
    ///
    /// The thread releases the closure before other threads see its end. Objects that only the
    /// closure retains are then deallocated.
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
    startThreads(count, body).allSatisfy { $0.wait() }
}

/// Starts threads that call a closure at the same time.
func startThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) -> [RunningThread] {
    let start = Signal()
    let threads = (0..<count).map { index in
        RunningThread {
            guard start.wait() else { return }
            body(index)
        }
    }
    start.fire()
    return threads
}

/// Runs closures at once, each on a thread of its own, and waits for all of them.
///
/// - Returns: `true` if all threads ended in time.
package func onThreads(_ bodies: (@Sendable () -> Void)...) -> Bool {
    onThreads(bodies.count) { bodies[$0]() }
}
