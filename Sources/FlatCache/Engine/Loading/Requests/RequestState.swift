/// The state of a named request: its response, and the time from which on it's stale.
///
/// The cache treats it like any other value. The response is therefore stored in the commit of its
/// entities, becomes stale, expires, and is removed with all other values.
package struct RequestState: Identifiable, Sendable {
    /// The name of the request.
    package let id: String
    /// The response in a box, a `LoadedValue`.
    let response: any AnyObject & Sendable
    package let responseType: any Sendable.Type
    /// The time from which on the response is stale, or `nil` if it stays fresh.
    let staleFrom: Time?

    /// The time for which a stale response is kept, in nanoseconds.
    static var staleLifetime: Int64 { 300_000_000_000 }

    /// The time at which the response is removed, or `nil` if it stays.
    var end: Time? { staleFrom?.advanced(by: Self.staleLifetime) }

    /// The answer of a call that makes no request.
    var answer: LoadAnswer {
        LoadAnswer(box: response, responseType: responseType, wasStored: true)
    }

    /// Returns the state with a response that's stale from a time on.
    func stale(from time: Time) -> RequestState {
        RequestState(
            id: id,
            response: response,
            responseType: responseType,
            staleFrom: min(time, staleFrom ?? .max)
        )
    }

    /// Returns the response, or traps if it's of another type.
    func response<Response: Sendable>(as type: Response.Type) -> Response {
        guard let response = response as? LoadedValue<Response> else {
            Self.reportOtherType(responseType, Response.self, of: id)
        }
        return response.value
    }

    static func reportOtherType(_ known: Any.Type, _ other: Any.Type, of name: String) -> Never {
        preconditionFailure(
            """
            The request \(String(reflecting: name)) was loaded with a response of the type \
            \(other), and before with one of the type \(known). Give requests with different \
            responses different names.
            """
        )
    }
}
