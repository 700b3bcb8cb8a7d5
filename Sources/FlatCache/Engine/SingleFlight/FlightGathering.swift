/// The rule by which several callers' keys are gathered into one call.
@usableFromInline
package struct FlightGathering: Sendable {
    /// The identity of the callers whose keys are gathered.
    let group: UInt64
    /// The maximum number of keys of a call.
    let maximum: Int
    /// A Boolean value that indicates whether a call waits for further callers' keys.
    let waitsForOthers: Bool
    /// Waits as long as a call gathers keys.
    let pause: @Sendable () async throws -> Void
}
