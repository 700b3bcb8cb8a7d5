/// The state of a named request: its response, and the time from which on it's stale.
///
/// The cache treats it like any other value. The response is therefore stored in the commit of its
/// entities, becomes stale, expires, and is removed with all other values.
package struct RequestState: Identifiable, Sendable {
    /// The name of the request.
    package let id: String
    /// The number of the response.
    ///
    /// States with the same number have the same response, whether or not it can be compared.
    let number: UInt64
    package let response: any Sendable
    package let responseType: any Sendable.Type
    /// The keys of the entities that the response contains.
    package let relatedKeys: [CacheKey]
    /// The time at which the response arrived, or `nil` if it's unknown.
    let arrival: Time?
    /// The time from which on the response is stale, or `nil` if it remains fresh.
    let staleFrom: Time?

    /// The time for which a stale response is kept, in nanoseconds.
    static var staleLifetime: Int64 { 300_000_000_000 }

    /// The time at which the response is removed, or `nil` if it's kept.
    var end: Time? { staleFrom?.advanced(by: Self.staleLifetime) }

    func stale(from time: Time) -> RequestState {
        RequestState(
            id: id,
            number: number,
            response: response,
            responseType: responseType,
            relatedKeys: relatedKeys,
            arrival: arrival,
            staleFrom: min(time, staleFrom ?? .max)
        )
    }

    /// Returns whether another state has the same response, or an equal one if responses can be
    /// compared.
    func hasEqualResponse(to other: RequestState) -> Bool {
        number == other.number
            || (response as? any Equatable)?.isEqual(to: other.response) ?? false
    }

    /// Returns the response, or traps if it's of another type.
    func response<Response: Sendable>(as type: Response.Type) -> Response {
        guard responseType == Response.self, let response = response as? Response else {
            preconditionFailure(
                """
                The request \(String(reflecting: id)) was loaded with a response of the type \
                \(Response.self), and before with one of the type \(responseType). Give requests \
                with different responses different names.
                """
            )
        }
        return response
    }
}

extension RequestState: HasCachedRelationships {
    package var relatedCacheKeys: Set<CacheKey> { Set(relatedKeys) }
}

extension RequestState: ListsRelatedKeys {
    var listedCacheKeys: [CacheKey] { relatedKeys }
}

// The states of requests, as participants write and restore them.
extension RequestState {
    /// The time for which a stale response is kept.
    package static var keptWhileStale: Duration { .nanoseconds(staleLifetime) }

    /// Returns the time since the response arrived, or `nil` if it's unknown.
    ///
    /// An invalidation stores the state again, so the age of the state may be less.
    package func age(at now: CacheInstant) -> Duration? {
        arrival.map { CacheInstant($0).duration(to: now) }
    }

    /// Returns the time for which the response remains fresh, negative if it's stale, or `nil` if
    /// it remains fresh.
    package func lifetime(at now: CacheInstant) -> Duration? {
        staleFrom.map { now.duration(to: CacheInstant($0)) }
    }
}

extension ParticipantTransaction {
    /// Stores the response of a request unless the request has one.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - request: The name of the request.
    ///   - relatedKeys: The keys of the entities that the response contains.
    ///   - age: The time since the response was stored, or `nil` if it's unknown.
    ///   - lifetime: The time for which the response remains fresh, or `nil` if it remains fresh.
    package func insert<Response: Sendable>(
        _ response: Response,
        ofRequest request: String,
        relatedKeys: [CacheKey] = [],
        age: Duration?,
        lifetime: Duration?
    ) {
        let isInvalidated = core.tables.existingTable(of: RequestState.self)?.journal?
            .isInvalidated(request)
        let staleFrom = lifetime.map { now.advanced(by: $0.nanoseconds) }
        let state = RequestState(
            id: request,
            number: core.nextRegistration(),
            response: response,
            responseType: Response.self,
            relatedKeys: relatedKeys,
            arrival: age.map { now.advanced(by: -$0.nanoseconds) },
            staleFrom: isInvalidated ?? false ? min(now, staleFrom ?? .max) : staleFrom
        )
        insert(state, StoredFreshness(age: age))
    }
}

extension CacheAccess {
    /// Creates the journal of the responses of requests.
    package func journalOfRequests(
        signal: @escaping @Sendable () -> Void
    ) -> ChangeJournal<RequestState> {
        // The rules of requests must be set before the first one is restored.
        core.limitRequests()
        return ChangeJournal(of: RequestState.self, in: self, signal: signal)
    }
}
