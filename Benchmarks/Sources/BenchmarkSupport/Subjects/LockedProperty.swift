import Synchronization

/// The baseline of rows about `@Persisted`: a value in the standard library's `Mutex`.
final class LockedProperty<Value: Sendable>: PropertySubject {
    private let mutex: Mutex<Value>

    init(_ value: Value) { mutex = Mutex(value) }

    /// The value, read under the lock.
    @inline(__always)
    var value: Value { mutex.withLock { $0 } }
}

/// A type with a value that can be read on any thread.
protocol PropertySubject<Value> {
    associatedtype Value

    var value: Value { get }
}
