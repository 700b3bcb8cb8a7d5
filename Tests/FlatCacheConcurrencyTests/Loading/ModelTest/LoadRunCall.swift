import FlatCache

@testable import FlatCacheTestSupport

/// A load of the model test, as its task performs it.
struct LoadRunCall: Sendable {
    typealias Key = LoadModelKey

    let cache: Cache
    let server: LoadServer
    let keys: [Key]
    let extras: [Key]

    /// Loads the keys, which are of one kind, and returns their fields.
    func load(
        _ options: LoadCalls.Options,
        isSingle: Bool,
        isByLoader: Bool
    ) async throws -> [Key: [Int?]] {
        switch keys[0].kind {
        case .row: try await load(LoadRow.self, options, isSingle, isByLoader)
        case .note: try await load(LoadNote.self, options, isSingle, isByLoader)
        case .request: [keys[0]: try await loadResponse(options)]
        }
    }

    private func load<Entity: LoadModelEntity>(
        _ type: Entity.Type,
        _ options: LoadCalls.Options,
        _ isSingle: Bool,
        _ isByLoader: Bool
    ) async throws -> [Key: [Int?]] {
        let kind = keys[0].kind
        let ids = keys.map(\.id)
        let policy = options.policy
        var isWhole: (@Sendable (Entity) -> Bool)?
        if options.requiresAll { isWhole = { options.accepts($0.fields) } }
        let values: [Int: Entity]
        switch (isSingle, isByLoader) {
        case (true, true):
            let value = try await cache.load(type, id: ids[0], policy: policy, requiring: isWhole)
            values = value.map { [ids[0]: $0] } ?? [:]
        case (false, true):
            values = try await cache.load(type, ids: ids, policy: policy, requiring: isWhole)
        case (true, false):
            let value = try await cache.load(
                type,
                id: ids[0],
                policy: policy,
                requiring: isWhole,
                rememberingFailures: memory(options)
            ) {
                let values = try await requestedValues(for: keys)
                return values[keys[0]].map { Entity(id: ids[0], fields: $0) }
            }
            values = value.map { [ids[0]: $0] } ?? [:]
        case (false, false):
            values = try await cache.load(
                type,
                ids: ids + ids,
                policy: policy,
                requiring: isWhole,
                rememberingFailures: memory(options)
            ) { try await server.entities(type, kind, $0) }
        }
        return Dictionary(
            uniqueKeysWithValues: values.map { (Key(kind: kind, id: $0.key), $0.value.fields) }
        )
    }

    private func memory(_ options: LoadCalls.Options) -> Duration? {
        options.failureMemory.map { .seconds($0) }
    }

    private func loadResponse(_ options: LoadCalls.Options) async throws -> [Int?] {
        try await cache.load(
            keys[0].name,
            staleAfter: options.lifetime.map { .after(.seconds($0)) } ?? .never,
            policy: options.policy,
            rememberingFailures: memory(options)
        ) {
            try await requestedValues(for: keys)[keys[0], default: []]
        }
    }

    /// Requests keys, and stores the extra entities that the answer brings.
    private func requestedValues(for keys: [Key]) async throws -> [Key: [Int?]] {
        let values = try await server.values(for: keys)
        cache.ingest {
            let ingestion = Ingestion.current
            for key in extras {
                guard let fields = values[key] else { continue }
                if key.kind == .row {
                    ingestion?.collect(LoadRow(id: key.id, fields: fields))
                } else {
                    ingestion?.collect(LoadNote(id: key.id, fields: fields))
                }
            }
        }
        return values
    }
}
