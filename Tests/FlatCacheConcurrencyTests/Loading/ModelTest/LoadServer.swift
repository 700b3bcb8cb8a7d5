import FlatCache

@testable import FlatCacheTestSupport

/// The server of the model test of loads: it reads its entities when a request begins, and answers
/// when the test says so.
final class LoadServer: Sendable {
    typealias Key = LoadModelKey

    struct Failure: Error {}

    /// A request, with the values that it has found.
    struct Request: Sendable {
        let keys: Set<Key>
        let values: [Key: [Int?]]
        let end: LateRequest
    }

    private struct State {
        var values: [Key: [Int?]] = [:]
        var requests: [Request] = []
    }

    private let state = Locked(State())

    /// The requests so far.
    var requests: [Request] { state.withLock(\.requests) }

    var requestCount: Int { state.withLock(\.requests.count) }

    /// The values on the server, which the test changes while no request is about to begin.
    var values: [Key: [Int?]] {
        get { state.withLock(\.values) }
        set { state.withLock { $0.values = newValue } }
    }

    /// Requests keys, and returns all values as of the beginning of the request.
    func values(for keys: [Key]) async throws -> [Key: [Int?]] {
        let request = state.withLock { state in
            let request = Request(keys: Set(keys), values: state.values, end: LateRequest())
            state.requests.append(request)
            return request
        }
        try await request.end.call.wait()
        return request.values
    }

    /// Returns the entities of a type that are requested.
    func entities<Entity: LoadModelEntity>(
        _ type: Entity.Type,
        _ kind: Key.Kind,
        _ ids: [Int]
    ) async throws -> [Entity] {
        let keys = ids.map { Key(kind: kind, id: $0) }
        let values = try await values(for: keys)
        return keys.compactMap { key in
            values[key].map { Entity(id: key.id, fields: $0) }
        }
    }
}
