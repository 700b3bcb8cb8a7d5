import FlatCache
import Synchronization

/// The baseline for ingesting: a locked dictionary that merges incoming values into stored ones.
final class MergingDictionary<Value: Identifiable & Sendable & Mergeable>: CacheSubject
where Value.ID: Sendable {
    private let values = Mutex<[Value.ID: Value]>([:])

    /// Creates an empty dictionary.
    init() {}

    /// Returns the value with an identifier, under the lock.
    @inline(__always)
    func get(_ id: Value.ID) -> Value? { values.withLock { $0[id] } }

    /// Merges a value, under the lock.
    func set(_ value: Value) {
        values.withLock { Self.merge(value, into: &$0[value.id]) }
    }

    /// Merges values, all of them under one lock.
    func ingest(_ newValues: [Value]) {
        values.withLock { values in
            for value in newValues { Self.merge(value, into: &values[value.id]) }
        }
    }

    /// Returns the identifier.
    func handle(_ id: Value.ID) -> Value.ID { id }

    /// Returns the value with an identifier, under the lock.
    @inline(__always)
    func read(_ handle: Value.ID) -> Value? { get(handle) }

    // In place, so that an identifier is hashed only once.
    private static func merge(_ value: Value, into stored: inout Value?) {
        stored = stored?.merged(with: value) ?? value
    }
}
