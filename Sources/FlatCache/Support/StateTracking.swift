#if TestHooks
import Synchronization

/// The conditions of tests, with the locks under which they have read state.
///
/// A test can wait for any state that is read under a lock, and needs no clock. It evaluates a
/// condition, and evaluates it again after another thread has released a lock that the condition
/// had acquired. Observation's `withObservationTracking` does the same with properties.
///
/// Exists only in builds with the define `TestHooks`, such as debug builds of this package. While
/// no test waits, an acquisition and a release of a lock cost one load of a number each.
package enum StateTracking {
    /// An identity of a lock or of other state.
    ///
    /// It has 32 bits, because a lock must fit into eight bytes. If two locks have the same
    /// identity, a test evaluates its condition too often.
    package struct Identity: Hashable, Sendable {
        fileprivate let number: UInt32

        package init() { number = lastIdentity.wrappingAdd(1, ordering: .relaxed).newValue }

        /// Creates the identity of a lock at an address that doesn't move.
        init(address: UnsafeRawPointer) {
            number = UInt32(truncatingIfNeeded: UInt(bitPattern: address) >> 7)
        }

        /// The bit of the identity in a filter of 64 bits.
        fileprivate var bit: UInt64 { 1 << UInt64(number & 63) }
    }

    /// The state that changes without a lock: atomic values, and weak references to objects whose
    /// `deinit` announces their end.
    package static let lockless = Identity()

    private static let lastIdentity = Atomic<UInt32>(0)
    /// The number of threads that evaluate a condition now.
    private static let evaluationCount = Atomic<Int>(0)
    /// The bits of the identities for which a test waits.
    private static let awaited = Atomic<UInt64>(0)
    private static let table = Table()

    /// Records that the calling thread has acquired a lock, or reads other state.
    ///
    /// Call it before the thread reads the state.
    package static func didRead(_ identity: Identity) {
        if evaluationCount.load(ordering: .relaxed) > 0 { table.didRead(identity) }
    }

    /// Wakes the tests whose conditions have read the state.
    ///
    /// Call it after the release of the lock that guards the state.
    ///
    /// - Parameters:
    ///   - identity: The identity of the lock.
    ///   - byCondition: `true` to wake a test even if its own condition has made the change.
    package static func didChange(_ identity: Identity, alsoByCondition byCondition: Bool = false) {
        // A thread that waits has set the bit before it read the state. A thread that has changed
        // the state since then has seen the bit, because both held the same lock.
        if awaited.load(ordering: .relaxed) & identity.bit != 0 {
            table.didChange(identity, byCondition: byCondition)
        }
    }

    /// Wakes the tests whose conditions have read an atomic value or a weak reference.
    ///
    /// Call it after the change of the value, or in the `deinit` of the object.
    package static func didChangeAtomically(_ identity: Identity) {
        // Without a lock, one of the two threads sees the other's change only because of a total
        // order: of this operation, and of the operation that sets the bit.
        let bits = awaited.bitwiseOr(0, ordering: .sequentiallyConsistent).newValue
        if bits & identity.bit != 0 {
            table.didChange(identity, byCondition: identity == lockless)
        }
    }

    /// Calls a closure, and calls another one once, after the next change of state that the first
    /// one has read.
    ///
    /// - Parameters:
    ///   - body: A closure that is called at once.
    ///   - onChange: A closure that is called on the thread that changes the state, possibly under
    ///     other locks.
    /// - Returns: The result of `body`, and the registration of `onChange`. To end the
    ///   registration, call `cancel()`.
    package static func withTracking<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result,
        onChange: @escaping @Sendable () -> Void
    ) throws(Failure) -> (result: Result, wait: Wait) {
        let wait = Wait(onChange)
        evaluationCount.add(1, ordering: .relaxed)
        let outer = table.begin(wait)
        defer {
            table.end(restoring: outer)
            evaluationCount.subtract(1, ordering: .relaxed)
        }
        do {
            return (try body(), wait)
        } catch {
            wait.cancel()
            throw error
        }
    }

    /// The registration of a closure for the next change of some state.
    package final class Wait: @unchecked Sendable {
        fileprivate let onChange: @Sendable () -> Void
        // Guarded by the lock of the table.
        fileprivate var identities: Set<Identity> = []
        // Guarded by the lock of the table.
        fileprivate var hasReadState = false

        fileprivate init(_ onChange: @escaping @Sendable () -> Void) { self.onChange = onChange }

        /// `true` if the tracked closure has read state.
        package var hasRead: Bool { table.hasRead(self) }

        package func cancel() { table.remove(self) }
    }

    private final class Table: @unchecked Sendable {
        private let lock = PlatformLock()
        // Guarded by `lock`.
        private var waits: [Identity: [Wait]] = [:]
        // Guarded by `lock`. The registrations of the threads that evaluate a condition.
        private var evaluations: [UInt: Wait] = [:]

        func begin(_ wait: Wait) -> Wait? {
            lock.acquire()
            defer { lock.release() }
            return evaluations.updateValue(wait, forKey: currentThread)
        }

        func end(restoring outer: Wait?) {
            lock.acquire()
            defer { lock.release() }
            evaluations[currentThread] = outer
        }

        func didRead(_ identity: Identity) {
            lock.acquire()
            defer { lock.release() }
            guard let wait = evaluations[currentThread] else { return }
            wait.hasReadState = true
            guard wait.identities.insert(identity).inserted else { return }
            waits[identity, default: []].append(wait)
            StateTracking.awaited.bitwiseOr(identity.bit, ordering: .sequentiallyConsistent)
        }

        func didChange(_ identity: Identity, byCondition: Bool) {
            lock.acquire()
            // By releasing a lock, a condition changes no state. By releasing the last reference to
            // an object, it does.
            let own = byCondition ? nil : evaluations[currentThread]
            let changed = (waits[identity] ?? []).filter { $0 !== own }
            for wait in changed { forget(wait) }
            lock.release()
            for wait in changed { wait.onChange() }
        }

        func hasRead(_ wait: Wait) -> Bool {
            lock.acquire()
            defer { lock.release() }
            return wait.hasReadState
        }

        func remove(_ wait: Wait) {
            lock.acquire()
            defer { lock.release() }
            forget(wait)
        }

        private func forget(_ wait: Wait) {
            for identity in wait.identities {
                waits[identity]?.removeAll { $0 === wait }
                if waits[identity]?.isEmpty == true { waits[identity] = nil }
            }
            wait.identities = []
            let bits = waits.keys.reduce(0) { $0 | $1.bit }
            StateTracking.awaited.store(bits, ordering: .sequentiallyConsistent)
        }
    }
}
#endif
