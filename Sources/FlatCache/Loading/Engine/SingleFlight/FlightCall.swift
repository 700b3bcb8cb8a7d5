/// A call of a single flight.
///
/// The flight's lock guards all variables. The keys don't change once the operation has begun.
@usableFromInline
package final class FlightCall<Key: Hashable & Sendable, Output: Sendable>: @unchecked Sendable {
    enum Phase { case waiting, running, claimed, ended }

    let number: UInt64
    @usableFromInline let flight: SingleFlight<Key, Output>
    /// The group of the caller that has started the call.
    let group: UInt64?
    /// The keys that the call has to answer, in the order in which callers have asked for them.
    package internal(set) var keys: [Key] = []
    /// For each needed key, the number of callers that wait for it or need it in the background.
    var needs: [Key: Int] = [:]
    /// The versions that stored values must exceed to answer all callers of a key.
    ///
    /// For example, a caller that joins at version 7 and rejects the value stored by then waits for
    /// a value of version 8 or later.
    var knownVersions: [Key: UInt64] = [:]
    var phase = Phase.waiting
    var waits: [ObjectIdentifier: FlightWait<Key, Output>] = [:]
    var task: Task<Void, Never>?
    /// The pause during which the call gathers keys.
    var pause: Task<Void, Never>?
    var abandonment: (@Sendable () -> Void)?

    init(_ number: UInt64, of flight: SingleFlight<Key, Output>, group: UInt64?) {
        self.number = number
        self.flight = flight
        self.group = group
    }
}

// The interface of a call for its operation.
extension FlightCall {
    /// Claims the call before its outputs are published.
    ///
    /// - Returns: `false` if the call is no longer needed, so that nothing must be published.
    package func claim() -> Bool {
        flight.state.withLock { _ in
            if phase == .ended { return false }
            phase = .claimed
            return true
        }
    }

    /// `true` if the call has ended or is no longer needed.
    var hasEnded: Bool { flight.state.withLock { _ in phase == .ended } }

    /// The keys whose next callers join the call.
    ///
    /// There are none if the call is no longer needed. After an invalidation, for example, the next
    /// callers of a key start a new call.
    package var joinableKeys: [Key] { joinableKeys(among: keys) }

    /// Returns the keys among some whose next callers join the call.
    func joinableKeys(among keys: [Key]) -> [Key] {
        flight.state.withLock { state in keys.filter { state.places[$0] === self } }
    }

    /// Returns the version that the stored value of a key must exceed to answer all callers.
    func knownVersion(of key: Key) -> UInt64? {
        flight.state.withLock { _ in knownVersions[key] }
    }

    /// Sets the closure to call once when the call is no longer needed before it's claimed.
    ///
    /// The thread that leaves last calls it, under no lock. If the call isn't needed already, this
    /// method calls it.
    package func onAbandonment(_ body: @escaping @Sendable () -> Void) {
        let isNeeded = flight.state.withLock { _ in
            if phase == .ended { return false }
            abandonment = body
            return true
        }
        if !isNeeded { body() }
    }
}

/// The wait of a caller for a call.
///
/// The flight's lock guards all variables. Once there's a result, they no longer change.
final class FlightWait<Key: Hashable & Sendable, Output: Sendable>: @unchecked Sendable {
    let call: FlightCall<Key, Output>
    /// `true` if the operation belongs to the caller or its group, and begins after the caller has
    /// joined.
    let isOwn: Bool
    var keys: [Key]
    var continuation: UnsafeContinuation<Void, Never>?
    /// The outputs of the call or the error that has ended the wait, or `nil` until then.
    var result: Result<[Key: Output], any Error>?

    init(_ call: FlightCall<Key, Output>, _ key: Key, isOwn: Bool) {
        self.call = call
        self.isOwn = isOwn
        keys = [key]
    }
}
