/// A function that loads entities of a type, with its options.
@usableFromInline
struct EntityLoader<Value: Identifiable & Sendable>: Sendable where Value.ID: Sendable {
    @usableFromInline
    typealias Fetch = @Sendable (Ingestion, [Value.ID]) async throws -> [Value]

    /// The rule by which keys are gathered, or `nil` if each load makes its own calls.
    let gathering: FlightGathering?
    /// A Boolean value that indicates whether a call uses the loader that is registered when it
    /// begins.
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
