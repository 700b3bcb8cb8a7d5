/// One part of a table, with a lock of its own, so that readers of different parts don't meet.
final class Stripe<Value: Identifiable & Sendable>: @unchecked Sendable where Value.ID: Sendable {
    let lock = Lock()

    /// Replaced and changed under both the writers' lock and `lock`, so either is enough to read it.
    var slots = Slots<Value>(capacity: 0)
}

/// How a table is divided.
enum Stripes {
    /// How many low bits of an identifier's hash choose the stripe.
    static let bits = 5
    static let count = 1 << bits

    static func index(of hash: Int) -> Int { hash & (count - 1) }
}
