/// One part of a table, with a lock of its own, so that readers of different parts don't meet.
///
/// It has all that a lookup needs, so that this takes one line of the processor's cache.
@usableFromInline
struct Stripe<Value: Identifiable & Sendable>: ~Copyable where Value.ID: Sendable {
    // The fields are written under both the writers' lock and `lock`, so either is enough to read
    // them.

    /// The stripe's part of the hash table.
    @usableFromInline var region: Region<Value>
    /// How many times an entry has left the region, or all of them have been moved.
    ///
    /// While this stays the same, so does the place of each entry.
    @usableFromInline var departures: UInt64 = 0
    /// How many times all of them have been moved.
    var rebuilds: UInt64 = 0

    /// Not the first field: to ThreadSanitizer, changing any field accesses the address of the whole,
    /// and so would race with whoever waits for the lock.
    @usableFromInline let lock = Lock()

    init(region: Region<Value>) { self.region = region }
}

/// How a table is divided.
@usableFromInline
enum Stripes {
    /// How many low bits of an identifier's hash choose the stripe.
    @inlinable static var bits: Int { 5 }
    @inlinable static var count: Int { 1 << bits }

    @inlinable @inline(__always)
    static func index(of hash: UInt32) -> Int { Int(truncatingIfNeeded: hash) & (count &- 1) }
}
