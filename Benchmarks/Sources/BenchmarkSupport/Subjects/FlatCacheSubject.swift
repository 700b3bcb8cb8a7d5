import FlatCache

/// A cache, with the calls that clients make.
struct FlatCacheSubject<Value: Identifiable & Sendable>: CacheSubject
where Value.ID: Sendable {
    let cache: Cache

    /// Creates an empty cache.
    init() { cache = Cache() }

    /// Creates an empty cache with a limit and an expiration.
    init(
        _ limit: CacheLimit<Value>,
        staleAfter staleness: CacheStaleness<Value> = .never,
        expires expiration: CacheExpiration<Value> = .never
    ) {
        var configuration = CacheConfiguration()
        configuration.limit(Value.self, limit, staleAfter: staleness, expires: expiration)
        cache = Cache(configuration: configuration)
    }

    /// Returns `cache.get(_:id:)`.
    @inline(__always)
    func get(_ id: Value.ID) -> Value? { cache.get(Value.self, id: id) }

    /// Calls `cache.set(_:)`.
    func set(_ value: Value) { cache.set(value) }

    /// Calls `cache.set(contentsOf:)`.
    func ingest(_ values: [Value]) { cache.set(contentsOf: values) }

    /// Returns `cache.cached(_:id:)`.
    func handle(_ id: Value.ID) -> Cached<Value> { cache.cached(Value.self, id: id) }

    /// Returns `handle.value`.
    @inline(__always)
    func read(_ handle: Cached<Value>) -> Value? { handle.value }
}
