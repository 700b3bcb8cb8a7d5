import Synchronization

/// Counts the calls of observers.
///
/// Only one thread adds at a time, since a cache makes one call at a time; so a load and a store do,
/// and cost what a plain variable does.
final class Tally: Sendable {
    private let calls = Atomic<Int>(0)

    var count: Int { calls.load(ordering: .relaxed) }

    func add() { calls.store(calls.load(ordering: .relaxed) + 1, ordering: .relaxed) }

    /// Traps if there were not as many calls as expected: a row must not measure what did not happen.
    func check(_ expected: Int) { Self.check(count, is: expected) }

    /// Traps if so many calls are not what was expected.
    static func check(_ count: Int, is expected: Int) {
        precondition(count == expected, "\(count) calls were made, not \(expected).")
    }
}
