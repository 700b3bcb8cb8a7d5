public import Synchronization

/// What a cache consists of.
///
/// Only the `CacheCore+…` files take the writers' lock and deliver.
///
/// A `Cache` owns it and closes it when it goes. Handles, tokens and batches hold it too, so that
/// they neither keep the cache alive nor need a weak reference, which is slow to read.
///
/// Locks, in the order in which they may be taken: `writerLock`; then, one at a time and for
/// moments, a table's (each stripe's, that of the count), the directory's, the clock's, a queue's,
/// `errands`, the timer's, an observer's, a token's.
@usableFromInline
final class CacheCore: @unchecked Sendable {
    // Of what follows only `writer` and the wake time in `policies` are not safe by themselves, and
    // `writerLock` guards them.

    @usableFromInline let clock = CommitClock()
    @usableFromInline let tables: TableDirectory
    let writerLock = WriterLock()
    /// Guarded by `writerLock`.
    @usableFromInline let writer = Writer()
    let deliveryQueue: DeliveryQueue
    let policies: RetentionPolicies
    let timer: ExpirationTimer
    let errands = Guarded(Errands())
    /// The queues of observations with a delivery of their own, by the observations' numbers.
    let ownQueues = Guarded<[UInt64: DeliveryQueue]>([:])
    /// How many observations have been registered.
    let registrationCount = Atomic<UInt64>(0)
    /// Whether a thread of the cache's own does what has been left to do.
    let isMaintained = Atomic<Bool>(false)
    @usableFromInline let closed = Atomic<Bool>(false)

    init(_ configuration: CacheConfiguration) {
        deliveryQueue = DeliveryQueue(configuration.delivery)
        policies = RetentionPolicies(configuration)
        tables = TableDirectory(clock: clock, policies: policies)
        timer = ExpirationTimer(policies.timeline)
        writer.hasLimits = !policies.isEmpty
    }

    /// When something must be done because time has passed, guarded by `writerLock`.
    var wakeTime: WakeTime { policies.wakeTime }

    /// Whether the cache has gone.
    @inlinable var isClosed: Bool { closed.load(ordering: .acquiring) }

    /// Empties the core, since its cache has gone.
    ///
    /// Handles read `nil` from now on.
    func close() {
        closed.store(true, ordering: .releasing)
        timer.end()
        leaveErrand { $0.mustClose = true }
    }
}

/// What must be done under the writers' lock, left by those who must not wait for it.
struct Errands {
    /// Observations and pins to take out of what commits look at.
    var ended: [@Sendable (Writer) -> Void] = []
    /// Whether the cache has gone.
    var mustClose = false

    var isEmpty: Bool { ended.isEmpty && !mustClose }
}
