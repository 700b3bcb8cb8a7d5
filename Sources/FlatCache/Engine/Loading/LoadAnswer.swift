/// The answer of a call for an entity or a request, which all its callers share.
struct LoadAnswer: Sendable {
    /// The entity's value or the boxed response, or `nil` if there is none.
    let value: (any Sendable)?
    /// The type of the response, if the answer is a request's.
    var responseType: Any.Type?
    /// The write because of which the answer wasn't stored, or was merged beneath the stored value.
    var conflict: WriteKind?
    /// A Boolean value that indicates whether the value was stored and fresh when the call began,
    /// so that it made no request.
    var wasStored = false
}

/// A response, which may be an optional, as the value of an answer.
struct LoadedResponse<Response: Sendable>: Sendable {
    let value: Response
}
