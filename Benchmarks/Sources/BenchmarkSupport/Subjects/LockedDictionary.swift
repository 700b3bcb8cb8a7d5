import Synchronization

/// The baseline of most rows: a dictionary in a `Mutex`, both of the standard library.
final class LockedDictionary<Value: Identifiable & Sendable>: CacheSubject
where Value.ID: Sendable {
    private let values = Mutex<[Value.ID: Value]>([:])

    /// Creates an empty dictionary.
    init() {}

    /// Returns the value with an identifier, under the lock.
    @inline(__always)
    func get(_ id: Value.ID) -> Value? { values.withLock { $0[id] } }

    /// Stores a value, under the lock.
    func set(_ value: Value) { values.withLock { $0[value.id] = value } }

    /// Stores values, all of them under one lock.
    func ingest(_ newValues: [Value]) {
        values.withLock { values in
            for value in newValues { values[value.id] = value }
        }
    }

    /// Returns the identifier, since a dictionary has no better handle.
    func handle(_ id: Value.ID) -> Value.ID { id }

    /// Returns the value with an identifier, under the lock.
    @inline(__always)
    func read(_ handle: Value.ID) -> Value? { get(handle) }
}
