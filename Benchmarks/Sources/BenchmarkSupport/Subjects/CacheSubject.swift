/// What can be measured against another: a store of values of one type.
///
/// Rows are generic over it and the compiler specializes them for each subject. Reads are inlined
/// always, so that none pays for the facade: left to itself the compiler does so for some only.
protocol CacheSubject<Value>: Sendable {
    /// What is stored.
    associatedtype Value: Identifiable & Sendable where Value.ID: Sendable
    /// What a client keeps in order to read one value again and again.
    associatedtype Handle

    /// Creates an empty store.
    init()

    /// Returns the value with an identifier.
    func get(_ id: Value.ID) -> Value?

    /// Stores one value.
    func set(_ value: Value)

    /// Stores values in one commit, or under one lock.
    func ingest(_ values: [Value])

    /// Returns what a client keeps in order to read a value again and again.
    func handle(_ id: Value.ID) -> Handle

    /// Returns the value that a handle stands for.
    func read(_ handle: Handle) -> Value?
}
