// The states of requests, as participants write and restore them.
extension RequestState {
    /// The response, of the type that the request was loaded with.
    package var responseValue: any Sendable {
        (response as? any AnyLoadedValue)?.anyValue ?? response
    }

    /// The time for which a stale response is kept.
    package static var keptWhileStale: Duration { .nanoseconds(staleLifetime) }

    /// Returns the time for which the response stays fresh, negative if it's stale, or `nil` if it
    /// stays fresh.
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
    ///   - age: The time since the response was stored, or `nil` if it's unknown.
    ///   - lifetime: The time for which the response stays fresh, or `nil` if it stays fresh.
    package func insert<Response: Sendable>(
        _ response: Response,
        ofRequest request: String,
        age: Duration?,
        lifetime: Duration?
    ) {
        let isInvalidated = core.tables.existingTable(of: RequestState.self)?.journal?
            .isInvalidated(request)
        let staleFrom = lifetime.map { now.advanced(by: $0.nanoseconds) }
        let state = RequestState(
            id: request,
            response: LoadedValue(response),
            responseType: Response.self,
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

/// A loaded value of any type.
private protocol AnyLoadedValue {
    var anyValue: any Sendable { get }
}

extension LoadedValue: AnyLoadedValue {
    var anyValue: any Sendable { value }
}
