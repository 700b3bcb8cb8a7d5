/// The answer of a call for an entity or a request, which all its callers share.
struct LoadAnswer: Sendable {
    /// The entity's value or the boxed response, or `nil` if there is none.
    let value: (any Sendable)?
    /// The type of the response, if the answer is a request's.
    var responseType: Any.Type?
    /// The write because of which the answer wasn't stored, or was merged beneath the stored value.
    let conflict: WriteKind?
}

/// A response, which may be an optional, as the value of an answer.
struct LoadedResponse<Response: Sendable>: Sendable {
    let value: Response
}
