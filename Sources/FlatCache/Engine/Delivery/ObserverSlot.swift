import Synchronization

/// A slot that holds an observer until its observation ends.
package final class ObserverSlot<Event>: @unchecked Sendable {
    // `lock` guards `observer`; all other properties are constant or atomic, except the closures of
    // tests.

    package typealias Body = @Sendable (Event) -> Void

    private let lock = Lock()
    @exclusivity(unchecked) private var observer: Body?
    /// A Boolean value that indicates whether a thread has fetched the observer and not called it
    /// yet.
    ///
    /// It's set under `lock`, by one thread at a time, since the calls of an observation are made
    /// one at a time.
    private let isStarting = Atomic<Bool>(false)

    #if TestHooks
    // Tests set these closures before other threads use the slot.

    /// A closure that is called between the fetch of the observer and its call.
    package var onFetch: @Sendable () -> Void = {}
    /// A closure that is called whenever `end()` finds that a call is starting.
    package var onWait: @Sendable () -> Void = {}
    #endif

    package init(_ observer: @escaping Body) {
        self.observer = observer
    }

    /// Calls the observer, unless the observation has ended.
    package func call(_ event: Event) {
        // The observer is called and released outside the lock, since it may end its own
        // observation.
        lock.acquire()
        let current = observer
        isStarting.store(current != nil, ordering: .relaxed)
        lock.release()
        guard let current else { return }
        #if TestHooks
        onFetch()
        #endif
        isStarting.store(false, ordering: .releasing)
        current(event)
    }

    /// Ends the observation: no new call of the observer starts, and the observer is released.
    package func end() {
        lock.acquire()
        let ended = observer.take()
        lock.release()
        // A thread that has just fetched the observer starts its call now. This thread waits for
        // it, so that no call starts after this method has returned. The wait is short: the other
        // thread runs no user code before the call.
        while isStarting.load(ordering: .acquiring) {
            #if TestHooks
            onWait()
            #endif
            yieldToOtherThreads()
        }
        withExtendedLifetime(ended) {}
    }
}
