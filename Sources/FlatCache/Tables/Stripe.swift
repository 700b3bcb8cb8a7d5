/// One part of a table, with a lock of its own, so that readers of different parts don't meet.
@usableFromInline
struct Stripe<Value: Identifiable & Sendable> where Value.ID: Sendable {
    @usableFromInline let lock = PlatformLock()

    /// Replaced and changed under both the writers' lock and `lock`, so either is enough to read
    /// it.
    ///
    /// Unmanaged, with a reference of its own, so that a reader need not count another one: the
    /// count would go from processor to processor among all that read this stripe.
    @usableFromInline var unmanagedSlots: Unmanaged<Slots<Value>>

    init() {
        unmanagedSlots = .passRetained(Slots(capacity: 0))
    }

    func deallocate() {
        unmanagedSlots.release()
        lock.deallocate()
    }

    /// The slots, for the writer, or to keep them beyond the lock.
    @inlinable var slots: Slots<Value> { unmanagedSlots.takeUnretainedValue() }
}

/// How a table is divided.
@usableFromInline
enum Stripes {
    /// How many low bits of an identifier's hash choose the stripe.
    @inlinable static var bits: Int { 5 }
    @inlinable static var count: Int { 1 << bits }

    @inlinable
    static func index(of hash: Int) -> Int { hash & (count &- 1) }
}
