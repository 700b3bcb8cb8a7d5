/// The interface of a call for its operation.
@usableFromInline
package struct FlightCall<Key: Hashable & Sendable, Output: Sendable>: Sendable {
    /// The keys that the call has to answer.
    package let keys: [Key]
    let number: UInt64
    let flight: SingleFlight<Key, Output>

    /// Claims the call before its outputs are published.
    ///
    /// - Returns: `false` if the call is no longer needed, so that nothing must be published.
    @usableFromInline
    package func claim() -> Bool { flight.claim(number) }

    /// The keys whose next callers join the call.
    ///
    /// There are none if the call is no longer needed.
    package var joinableKeys: [Key] { flight.joinableKeys(of: number) }

    /// Returns the version that the stored value of a key must exceed to answer all callers.
    func knownVersion(of key: Key) -> UInt64? { flight.knownVersion(of: key, in: number) }

    /// Returns the first of some keys whose next callers join the call.
    func joinableKey(among keys: [Key]) -> Key? { flight.joinableKey(of: number, among: keys) }

    /// A Boolean value that indicates whether the call has ended or is no longer needed.
    var hasEnded: Bool { flight.hasEnded(number) }

    /// Sets the closure to call once when the call is no longer needed before it's claimed.
    ///
    /// The thread that leaves last calls it, under no lock. If the call isn't needed already, this
    /// method calls it.
    package func onAbandonment(_ body: @escaping @Sendable () -> Void) {
        flight.onAbandonment(of: number, body)
    }
}
