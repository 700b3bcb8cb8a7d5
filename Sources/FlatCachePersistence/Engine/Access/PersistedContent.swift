/// The content of a storage under a key.
enum PersistedContent<Value: Sendable>: Sendable {
    case value(Value)
    case absent
    /// A value that can't be decoded.
    case corrupt(PersistenceError)
}
