@usableFromInline
struct EntityLoader<Value: Identifiable & Sendable>: Sendable where Value.ID: Sendable {
    @usableFromInline
    typealias Fetch = @Sendable (Ingestion, [Value.ID]) async throws -> LoadedEntities<Value>

    /// The rule by which keys are gathered, or `nil` for the loader of a single load.
    let gathering: FlightGathering?
    let requirement: (@Sendable (Value) -> Bool)?
    /// The time for which errors and missing entities are remembered, or `nil` if they aren't.
    let failureMemory: Duration?
    let fetch: Fetch
    /// A closure that asks the source of requests for the stored response, or `nil` for entities.
    var restore: (@Sendable () async throws -> Void)?
}

extension EntityLoader {
    /// Creates the loader of a single load.
    @usableFromInline
    init(rememberingFailures failureMemory: Duration?, _ fetch: @escaping Fetch) {
        self.init(gathering: nil, requirement: nil, failureMemory: failureMemory, fetch: fetch)
    }

    /// Requests entities.
    ///
    /// If a call has gathered its keys for a previous loader, it may have more keys than this
    /// loader's maximum.
    func entities(_ ids: [Value.ID], in scope: Ingestion) async throws -> LoadedEntities<Value> {
        guard let maximum = gathering?.maximum, ids.count > maximum else {
            return try await fetch(scope, ids)
        }
        var entities = LoadedEntities<Value>([])
        for start in stride(from: 0, to: ids.count, by: maximum) {
            let part = try await fetch(scope, Array(ids[start...].prefix(maximum)))
            entities.values += part.values
            entities.errors.merge(part.errors) { $1 }
        }
        return entities
    }
}

/// The answer of a loader: values, and errors for single identifiers.
@usableFromInline
struct LoadedEntities<Value: Identifiable & Sendable>: Sendable where Value.ID: Sendable {
    var values: [Value]
    var errors: [Value.ID: any Error] = [:]
    /// A closure that makes further writes of the commit that stores the values.
    ///
    /// Its argument is the lease of the call. It isn't called if a value is kept from being stored.
    var write: (@Sendable (Lease) throws -> Void)?

    @usableFromInline
    init(_ values: [Value]) { self.values = values }

    @usableFromInline
    init(_ results: [Value.ID: Result<Value?, any Error>]) throws {
        values = []
        for (id, result) in results {
            switch result {
            case .success(let value?) where value.id == id: values.append(value)
            case .success(let value?):
                let requested = [CacheKey(Value.self, id: id)]
                throw LoadError.unexpectedEntity(CacheKey(value), requested: requested)
            case .success(nil): break
            case .failure(let error): errors[id] = error
            }
        }
    }

    /// The first identifier that wasn't requested.
    func unexpectedID(among ids: Set<Value.ID>) -> Value.ID? {
        values.first { !ids.contains($0.id) }?.id ?? errors.keys.first { !ids.contains($0) }
    }
}

struct Loaders: Sendable {
    private var loaders: [ObjectIdentifier: any Sendable] = [:]
    /// The number of loaders that have been set so far.
    private(set) var count: UInt64 = 0
    /// The types that have had a requirement of whole values.
    private var requiredTypes: Set<ObjectIdentifier> = []
    /// The participants that have set the loaders of the types that they alone write.
    private var owners: [ObjectIdentifier: TableOwner] = [:]

    mutating func set<Value>(_ makeLoader: (_ number: UInt64) -> EntityLoader<Value>) {
        count += 1
        loaders[ObjectIdentifier(Value.self)] = makeLoader(count)
    }

    mutating func setOwner<Value>(_ owner: TableOwner?, of type: Value.Type) {
        owners[ObjectIdentifier(type)] = owner
    }

    func checkOwner<Value>(of type: Value.Type) {
        guard let owner = owners[ObjectIdentifier(type)] else { return }
        preconditionFailure("\(type) can't have another loader, since it \(owner.remedy)")
    }

    /// Records that a loader or a loading handle requires whole values of a type.
    mutating func require<Value>(_ type: Value.Type) {
        requiredTypes.insert(ObjectIdentifier(type))
    }

    func isRequired<Value>(_ type: Value.Type) -> Bool {
        requiredTypes.contains(ObjectIdentifier(type))
    }

    func loader<Value>(of type: Value.Type) -> EntityLoader<Value>? {
        loaders[ObjectIdentifier(type)] as? EntityLoader<Value>
    }
}

extension CacheCore {
    /// Returns the loader of a type, or traps if there is none.
    func registeredLoader<Value: Identifiable & Sendable>() -> EntityLoader<Value>
    where Value.ID: Sendable {
        guard let loader = loaders.withLock({ $0.loader(of: Value.self) }) else {
            preconditionFailure(
                """
                \(Value.self) has no loader. Call setLoader(for: \(Value.self).self) { … } of the \
                cache first, or pass a closure to load(…).
                """
            )
        }
        return loader
    }

    @usableFromInline
    func setLoader<Value: Identifiable & Sendable>(
        in table: Table<Value>?,
        gathering pause: Duration,
        atMost maximum: Int,
        _ requirement: (@Sendable (Value) -> Bool)?,
        _ failureMemory: Duration?,
        _ fetch: @escaping EntityLoader<Value>.Fetch
    ) where Value.ID: Sendable {
        precondition(
            pause >= .zero,
            "A loader of \(Value.self) cannot gather keys for \(pause): use zero or more."
        )
        precondition(
            maximum > 0,
            "A loader of \(Value.self) cannot load \(maximum) entities at most: use one or more."
        )
        let timeline = policies.timeline
        loaders.withLock { loaders in
            loaders.checkOwner(of: Value.self)
            loaders.set { number in
                let gathering = FlightGathering(
                    group: number,
                    maximum: maximum,
                    waitsForOthers: pause > .zero
                ) {
                    try await timeline.sleep(until: timeline.now.advanced(by: pause.nanoseconds))
                }
                return EntityLoader(
                    gathering: gathering,
                    requirement: requirement,
                    failureMemory: failureMemory,
                    fetch: fetch
                )
            }
        }
        if requirement != nil { require(Value.self) }
        setRequirement(requirement, in: table ?? tables.existingTable(of: Value.self))
        let type = Withdrawal.Scope.type(Value.self)
        // The calls are separated first, so that no earlier call remembers a failure afterwards.
        loads.separate(includingWaiting: true, where: type.contains)
        changeLoadFailures { $0.forget(where: type.contains) }
        for load in observedLoads.withLock({ $0.loads(in: type) }) { load.recordNewLoader() }
    }
}
