import Synchronization

/// Holds an observer for as long as its observation goes on.
package final class ObserverSlot<Event>: @unchecked Sendable {
    // `lock` guards `observer`; all else is constant or atomic.

    package typealias Body = @Sendable (Event) -> Void

    private let lock = Lock()
    @exclusivity(unchecked) private var observer: Body?
    /// Whether a thread is between fetching the observer and calling it.
    ///
    /// Set under `lock`, by one thread at a time, since an observation's calls are made one at a
    /// time.
    private let isStarting = Atomic<Bool>(false)

    package init(_ observer: @escaping Body) {
        self.observer = observer
    }

    /// Calls the observer, unless the observation has ended.
    package func call(_ event: Event) {
        // The observer is called, and released, outside the lock: it may end its own observation.
        lock.acquire()
        let current = observer
        isStarting.store(current != nil, ordering: .relaxed)
        lock.release()
        guard let current else { return }
        isStarting.store(false, ordering: .releasing)
        current(event)
    }

    /// Ends the observation: no new call of the observer starts, and it is released.
    package func end() {
        lock.acquire()
        let ended = observer.take()
        lock.release()
        // A thread that has fetched the observer just before starts its call now. It runs no code
        // of a user's in between, so it is waited for, and no call starts after this has returned.
        while isStarting.load(ordering: .acquiring) { yieldToOtherThreads() }
        withExtendedLifetime(ended) {}
    }
}
