/// A function that loads entities of a type, with its options.
@usableFromInline
struct EntityLoader<Value: Identifiable & Sendable>: Sendable where Value.ID: Sendable {
    @usableFromInline
    typealias Fetch = @Sendable (Ingestion, [Value.ID]) async throws -> [Value]

    /// The rule by which keys are gathered, or `nil` if each load makes its own calls.
    let gathering: FlightGathering?
    let requirement: (@Sendable (Value) -> Bool)?
    /// The time for which errors and missing entities are remembered, or `nil` if they aren't.
    let failureMemory: Duration?
    let fetch: Fetch

    /// Creates the loader of a single load.
    @usableFromInline
    init(rememberingFailures failureMemory: Duration?, _ fetch: @escaping Fetch) {
        self.init(nil, nil, failureMemory, fetch)
    }

    init(
        _ gathering: FlightGathering?,
        _ requirement: (@Sendable (Value) -> Bool)?,
        _ failureMemory: Duration?,
        _ fetch: @escaping Fetch
    ) {
        self.gathering = gathering
        self.requirement = requirement
        self.failureMemory = failureMemory
        self.fetch = fetch
    }
}

/// A loader that a client has set for a type.
@usableFromInline
struct RegisteredLoader<Value: Identifiable & Sendable>: Sendable where Value.ID: Sendable {
    private let pause: Duration
    private let maximum: Int
    private let requirement: (@Sendable (Value) -> Bool)?
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
        return EntityLoader(gathering, requirement, failureMemory, fetch)
    }
}

/// The loaders of a cache, by the types of their entities.
@usableFromInline
struct Loaders: Sendable {
    private var loaders: [ObjectIdentifier: (number: UInt64, loader: any Sendable)] = [:]
    private var lastNumber: UInt64 = 0

    @usableFromInline
    mutating func set<Value>(_ loader: RegisteredLoader<Value>) {
        lastNumber += 1
        loaders[ObjectIdentifier(Value.self)] = (lastNumber, loader)
    }

    func loader<Value>(of type: Value.Type, on timeline: any Timeline) -> EntityLoader<Value>? {
        guard let (number, loader) = loaders[ObjectIdentifier(type)] else { return nil }
        return (loader as? RegisteredLoader<Value>)?.loader(group: number, on: timeline)
    }
}
