/// An event of a value, sent to its listeners.
enum PersistedEvent<Value: Sendable>: Sendable {
    case changed(PersistedContent<Value>, version: Int)
    case failed(PersistenceError)
}
