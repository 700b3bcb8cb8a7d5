public import Synchronization

/// A participant whose storage may hold entities that memory lacks.
///
/// Loads ask it before they call a loader, and the cache asks it for missing entities that an
/// observation reaches. It restores the entities that it has with `CacheAccess.write(_:_:)`, and
/// the need for a load is then determined again. Entities that it doesn't have are left out.
///
/// At most one call asks for a key at a time.
package protocol EntitySource: CommitParticipant {
    /// Restores entities that memory lacked or that don't meet the requirement of a load.
    ///
    /// The cache calls the method under no lock, in a task that belongs to no caller.
    ///
    /// - Throws: An error that ends the loads of the entities. Without one, an entity that isn't
    ///   restored is loaded.
    func restore(_ keys: [CacheKey]) async throws

    /// Restores the response of a request that memory lacked.
    ///
    /// The cache calls the method under no lock, in a task that belongs to no caller.
    ///
    /// - Parameters:
    ///   - request: The name of the request.
    ///   - type: The type of its response.
    func restoreResponse<Response: Sendable>(of request: String, as type: Response.Type) async
}

struct EntitySources: Sendable {
    private var sources: [ObjectIdentifier: (number: UInt64, source: any EntitySource)] = [:]

    mutating func set(_ source: any EntitySource, of types: [ObjectIdentifier], number: UInt64) {
        for type in types { sources[type] = (number, source) }
    }

    /// Removes a source; returns it, to be released after the lock.
    mutating func remove(_ number: UInt64) -> (any EntitySource)? {
        let removed = sources.filter { $0.value.number == number }
        for type in removed.keys { sources[type] = nil }
        return removed.first?.value.source
    }

    mutating func removeAll() -> [any EntitySource] {
        defer { sources = [:] }
        return sources.values.map(\.source)
    }

    var isEmpty: Bool { sources.isEmpty }

    func source(of type: ObjectIdentifier) -> (any EntitySource)? { sources[type]?.source }

    func contains(_ type: ObjectIdentifier) -> Bool { sources[type] != nil }
}

// The requests to sources. They precede the calls of loaders.
extension CacheCore {
    @inlinable var mayAskSources: Bool { asksSources.load(ordering: .acquiring) }

    /// Asks the source of a type for the entities that memory lacks or that don't meet a
    /// requirement.
    ///
    /// The need for a load has to be determined afterwards.
    ///
    /// - Throws: `CancellationError` if the calling task is cancelled, or the source's error.
    @usableFromInline
    func askSource<Value: Identifiable & Sendable>(
        for ids: [Value.ID],
        in table: Table<Value>,
        _ options: LoadOptions<Value>
    ) async throws where Value.ID: Sendable {
        if options.policy == .networkOnly || isClosed { return }
        guard sources.withLock({ $0.contains(table.typeIdentifier) }) else { return }
        let lacking = Set(ids).filter { id in
            let value = table.value(id: id, hash: table.hash(of: id), at: nil)
            return value.map { !options.accepts($0) } ?? true
        }
        if lacking.isEmpty { return }
        _ = try await sourceCalls.answers(
            for: lacking.map { CacheKey(Value.self, id: $0) },
            gathering: gathering(of: table.typeIdentifier)
        ) { [self] in try await restore($0.keys) }
    }

    /// Asks the source of requests for a response, unless memory has one.
    ///
    /// - Throws: `CancellationError` if the calling task is cancelled.
    func askSource<Response: Sendable>(
        forResponseOf name: String,
        as type: Response.Type
    ) async throws {
        let table = requests
        guard let source = source(of: ObjectIdentifier(RequestState.self)), !isClosed,
            table.value(id: name, hash: table.hash(of: name), at: nil) == nil
        else { return }
        let key = CacheKey(RequestState.self, id: name)
        _ = try await sourceCalls.output(for: key) { _ in
            await source.restoreResponse(of: name, as: Response.self)
            return true
        }
    }

    private func source(of type: ObjectIdentifier) -> (any EntitySource)? {
        sources.withLock { $0.source(of: type) }
    }

    /// Restores the entities of keys of one type.
    private func restore(_ keys: [CacheKey]) async throws -> [CacheKey: Bool] {
        if let key = keys.first, let source = source(of: key.typeIdentifier), !isClosed {
            try await source.restore(keys)
        }
        return Dictionary(keys.map { ($0, true) }, uniquingKeysWith: { $1 })
    }

    /// Returns the rule by which the keys of a type are gathered until a call begins.
    private func gathering(of type: ObjectIdentifier) -> FlightGathering {
        FlightGathering(
            group: UInt64(UInt(bitPattern: type)),
            maximum: 1_000,
            waitsForOthers: false,
            pause: {}
        )
    }

    // MARK: Observed entities

    /// Records all observed entities without a value, under the writers' lock.
    func recordMissingEntities() {
        for node in writer.graph.allNodes {
            if let (entry, table) = writer.graph[node].entry, table.hasValue(entry) { continue }
            recordMissing(writer.graph[node].key)
        }
    }

    /// Records an observed entity without a value, under the writers' lock.
    func recordMissing(_ key: CacheKey) {
        // Only a load knows the type of a response.
        guard mayAskSources, key.typeIdentifier != ObjectIdentifier(RequestState.self),
            sources.withLock({ $0.contains(key.typeIdentifier) })
        else { return }
        writer.missingKeys.append(key)
    }

    /// Asks the sources for the recorded entities, under no lock, without waiting for the answers.
    func askSources(for keys: [CacheKey]) {
        if keys.isEmpty { return }
        for (type, keys) in Dictionary(grouping: Set(keys), by: \.typeIdentifier) {
            EnclosingCalls.withoutCalls {
                sourceCalls.start(keys, gathering: gathering(of: type)) { [self] in
                    try await restore($0.keys)
                }
            }
        }
    }
}
