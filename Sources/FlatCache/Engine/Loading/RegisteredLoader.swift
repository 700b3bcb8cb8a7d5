/// A loader that a client has set for a type.
@usableFromInline
struct RegisteredLoader<Value: Identifiable & Sendable>: Sendable where Value.ID: Sendable {
    private let pause: Duration
    private let maximum: Int
    let requirement: (@Sendable (Value) -> Bool)?
    private let failureMemory: Duration?
    private let fetch: EntityLoader<Value>.Fetch

    @usableFromInline
    init(
        gathering pause: Duration,
        atMost maximum: Int,
        requiring requirement: (@Sendable (Value) -> Bool)?,
        rememberingFailures failureMemory: Duration?,
        _ fetch: @escaping EntityLoader<Value>.Fetch
    ) {
        precondition(
            pause >= .zero,
            "A loader of \(Value.self) cannot gather keys for \(pause): use zero or more."
        )
        precondition(
            maximum > 0,
            "A loader of \(Value.self) cannot load \(maximum) entities at most: use one or more."
        )
        self.pause = pause
        self.maximum = maximum
        self.requirement = requirement
        self.failureMemory = failureMemory
        self.fetch = fetch
    }

    /// Creates the loader of a client's closure.
    ///
    /// The collection of its answers is specialized in the client.
    @usableFromInline
    init(
        gathering pause: Duration,
        atMost maximum: Int,
        requiring requirement: (@Sendable (Value) -> Bool)?,
        rememberingFailures failureMemory: Duration?,
        requesting fetch: @escaping @Sendable (_ ids: [Value.ID]) async throws -> [Value]
    ) {
        self.init(
            gathering: pause,
            atMost: maximum,
            requiring: requirement,
            rememberingFailures: failureMemory,
            { scope, ids in
                scope.prepareCollection(of: Value.self)
                return try await fetch(ids)
            }
        )
    }

    /// Returns the loader of a cache with a timeline.
    ///
    /// - Parameter group: The number of the loader in the cache.
    func loader(group: UInt64, on timeline: any Timeline) -> EntityLoader<Value> {
        let gathering = FlightGathering(
            group: group,
            maximum: maximum,
            waitsForOthers: pause > .zero
        ) { [nanoseconds = pause.nanoseconds] in
            try await timeline.sleep(until: timeline.now.advanced(by: nanoseconds))
        }
        return EntityLoader(gathering, requirement, failureMemory, isRegistered: true, fetch)
    }
}
