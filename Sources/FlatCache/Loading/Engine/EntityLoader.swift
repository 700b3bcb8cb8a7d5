@usableFromInline
struct EntityLoader<Value: Identifiable & Sendable>: Sendable where Value.ID: Sendable {
    @usableFromInline
    typealias Fetch = @Sendable (Ingestion, [Value.ID]) async throws -> [Value]

    /// The rule by which keys are gathered, or `nil` if each load makes its own calls.
    let gathering: FlightGathering?
    /// `true` if a call uses the loader that is registered when it begins.
    let isRegistered: Bool
    let requirement: (@Sendable (Value) -> Bool)?
    /// The time for which errors and missing entities are remembered, or `nil` if they aren't.
    let failureMemory: Duration?
    let fetch: Fetch

    /// Creates the loader of a single load.
    @usableFromInline
    init(rememberingFailures failureMemory: Duration?, _ fetch: @escaping Fetch) {
        self.init(nil, nil, failureMemory, isRegistered: false, fetch)
    }

    init(
        _ gathering: FlightGathering?,
        _ requirement: (@Sendable (Value) -> Bool)?,
        _ failureMemory: Duration?,
        isRegistered: Bool,
        _ fetch: @escaping Fetch
    ) {
        self.isRegistered = isRegistered
        self.gathering = gathering
        self.requirement = requirement
        self.failureMemory = failureMemory
        self.fetch = fetch
    }

    /// Requests entities.
    ///
    /// If a call has gathered its keys for a previous loader, it may have more keys than this
    /// loader's maximum.
    func entities(_ ids: [Value.ID], in scope: Ingestion) async throws -> [Value] {
        guard let maximum = gathering?.maximum, ids.count > maximum else {
            return try await fetch(scope, ids)
        }
        var values: [Value] = []
        for start in stride(from: 0, to: ids.count, by: maximum) {
            values += try await fetch(scope, Array(ids[start...].prefix(maximum)))
        }
        return values
    }
}

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

@usableFromInline
struct Loaders: Sendable {
    private var loaders: [ObjectIdentifier: (number: UInt64, loader: any Sendable)] = [:]
    private var lastNumber: UInt64 = 0
    /// The types that have had a requirement of whole values.
    private(set) var requiredTypes: Set<ObjectIdentifier> = []

    @usableFromInline
    mutating func set<Value>(_ loader: RegisteredLoader<Value>) {
        lastNumber += 1
        if loader.requirement != nil { require(Value.self) }
        loaders[ObjectIdentifier(Value.self)] = (lastNumber, loader)
    }

    /// Records that a loader or a loading handle requires whole values of a type.
    mutating func require<Value>(_ type: Value.Type) {
        requiredTypes.insert(ObjectIdentifier(type))
    }

    func isRequired<Value>(_ type: Value.Type) -> Bool {
        requiredTypes.contains(ObjectIdentifier(type))
    }

    func requirement<Value: Identifiable & Sendable>(
        of type: Value.Type
    ) -> (@Sendable (Value) -> Bool)? where Value.ID: Sendable {
        (loaders[ObjectIdentifier(type)]?.loader as? RegisteredLoader<Value>)?.requirement
    }

    func loader<Value>(of type: Value.Type, on timeline: any Timeline) -> EntityLoader<Value>? {
        guard let (number, loader) = loaders[ObjectIdentifier(type)] else { return nil }
        return (loader as? RegisteredLoader<Value>)?.loader(group: number, on: timeline)
    }
}
