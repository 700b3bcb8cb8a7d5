/// A call as its operation sees it.
@usableFromInline
package struct FlightCall<Key: Hashable & Sendable, Output: Sendable>: Sendable {
    /// The keys that the call has to answer.
    package let keys: [Key]
    let number: UInt64
    let flight: SingleFlight<Key, Output>

    /// Returns whether the next callers of a key join the call.
    ///
    /// They don't if the call is no longer needed, or has been separated.
    package func isJoinable(for key: Key) -> Bool { flight.joins(key, number) }

    /// Claims the call before its outputs are published.
    ///
    /// - Returns: `false` if the call is no longer needed, so that nothing must be published.
    @usableFromInline
    package func claim() -> Bool { flight.claim(number) }

    /// Sets the closure to call once when the call is no longer needed before it's claimed.
    ///
    /// The thread that leaves last calls it, under no lock. If the call isn't needed already, this
    /// method calls it.
    package func onAbandonment(_ body: @escaping @Sendable () -> Void) {
        flight.onAbandonment(of: number, body)
    }
}
