import Foundation

/// A thread of its own that runs a closure.
package struct RunningThread {
    private let end = Signal()

    /// Starts a thread.
    ///
    /// - Parameter stackSize: The size of its stack in bytes.
    package init(stackSize: Int = 8 << 20, _ body: @escaping @Sendable () -> Void) {
        let thread = Thread { [end] in
            body()
            end.fire()
        }
        thread.stackSize = stackSize
        thread.start()
    }

    /// Waits until the closure has returned; returns whether it has within a generous time.
    package func wait(seconds: Double = 300) -> Bool { end.wait(seconds: seconds) }

    package var hasEnded: Bool { end.isFired }
}

/// Runs a closure on several threads at once and waits for all of them; returns whether they ended
/// within a generous time.
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

/// Waits until a condition that another thread brings about holds; returns whether it does within a
/// generous time.
package func eventually(_ condition: () -> Bool) -> Bool {
    let deadline = Date(timeIntervalSinceNow: 300)
    while !condition() {
        guard Date() < deadline else { return false }
        sched_yield()
    }
    return true
}
