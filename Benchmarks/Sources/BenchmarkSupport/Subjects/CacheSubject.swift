/// A store of values of one type that can be measured against another.
///
/// Rows are generic over this protocol, and the compiler specializes them for each subject. Reads
/// are always inlined, so that no subject pays for the wrapper; by default, the compiler would
/// inline only some of them.
protocol CacheSubject<Value>: Sendable {
    /// The type of the stored values.
    associatedtype Value: Identifiable & Sendable where Value.ID: Sendable
    /// The type that a client keeps in order to read one value repeatedly.
    associatedtype Handle

    /// Creates an empty store.
    init()

    /// Returns the value with an identifier.
    func get(_ id: Value.ID) -> Value?

    /// Stores one value.
    func set(_ value: Value)

    /// Stores values in one commit, or under one lock.
    func ingest(_ values: [Value])

    /// Returns a handle to read a value repeatedly.
    func handle(_ id: Value.ID) -> Handle

    /// Returns the value of a handle.
    func read(_ handle: Handle) -> Value?
}
