/// The answer of a call for an entity or a request, which all its callers share.
@usableFromInline
struct LoadAnswer: Sendable {
    /// The entity's value or the response in a box, a `LoadedValue`, or `nil` if there is none.
    @usableFromInline let box: (any AnyObject & Sendable)?
    /// The value that the request has returned, if the cache holds another one.
    @usableFromInline var loadedBox: (any AnyObject & Sendable)?
    /// The type of the response, if the answer is a request's.
    var responseType: Any.Type?
    /// The write that has kept the answer from being stored, or from being merged over the stored
    /// value.
    var conflict: WriteKind?
    /// A Boolean value that indicates whether the value was stored and fresh when the call began,
    /// so that it made no request.
    var wasStored = false

    /// Returns the value of an entity, whose key has determined the type of the answer.
    @usableFromInline
    func value<Value: Sendable>(as type: Value.Type) -> Value? {
        box.map { unsafeDowncast($0, to: LoadedValue<Value>.self).value }
    }

    /// Returns the value of an entity, or the value from the request if only the latter meets a
    /// caller's requirement.
    @usableFromInline
    func value<Value: Identifiable & Sendable>(for options: LoadOptions<Value>) -> Value? {
        guard let value = value(as: Value.self) else { return nil }
        guard let loadedBox, !options.accepts(value) else { return value }
        let loaded = unsafeDowncast(loadedBox, to: LoadedValue<Value>.self).value
        return options.accepts(loaded) ? loaded : value
    }
}
