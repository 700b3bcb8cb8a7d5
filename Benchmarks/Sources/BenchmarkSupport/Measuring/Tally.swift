import Synchronization

/// Counts the calls of observers.
///
/// Only one thread adds at a time, since a cache makes one call at a time. A load and a store are
/// therefore sufficient, and cost the same as a plain variable.
final class Tally: Sendable {
    private let calls = Atomic<Int>(0)

    var count: Int { calls.load(ordering: .relaxed) }

    func add() { calls.store(calls.load(ordering: .relaxed) + 1, ordering: .relaxed) }

    /// Traps if the number of calls differs from the expected one, so that a row doesn't measure
    /// missing work.
    func check(_ expected: Int) { Self.check(count, is: expected) }

    /// Traps if a number of calls differs from the expected one.
    static func check(_ count: Int, is expected: Int) {
        precondition(count == expected, "\(count) calls were made, not \(expected).")
    }
}
