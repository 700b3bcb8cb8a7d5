import FlatCache

@testable import FlatCacheTestSupport

/// The way in which a running load brings the entity 1.
enum LateAnswer: String, CaseIterable, Sendable {
    case loaded, loadedByIDs, loadedByLoader, nested, request, page

    /// Starts the load, which returns the value that its caller receives, or `nil` if it receives
    /// another one.
    func start<Entity: LateEntity>(
        _ answer: Entity,
        in cache: Cache,
        after request: LateRequest
    ) -> Task<Entity?, any Error> {
        let type = Entity.self
        let call = request.call
        switch self {
        case .loaded:
            return Task {
                try await cache.load(type, id: 1, policy: .networkOnly) {
                    try await call.wait()
                    return answer
                }
            }
        case .loadedByIDs:
            return Task {
                let values = try await cache.load(type, ids: [1, 3], policy: .networkOnly) { _ in
                    try await call.wait()
                    return [Entity(id: 3, text: nil, detail: nil), answer]
                }
                return values[1]
            }
        case .loadedByLoader:
            cache.setLoader(for: type, gathering: .zero) { _ in
                try await call.wait()
                return [answer]
            }
            return Task { try await cache.load(type, id: 1, policy: .networkOnly) }
        case .nested:
            return Task {
                _ = try await cache.load(Station.self, id: 1, policy: .networkOnly) {
                    try await call.wait()
                    cache.ingest { Ingestion.current?.collect(answer) }
                    return Station(id: 1)
                }
                return nil
            }
        case .request:
            return Task {
                _ = try await cache.load("request", policy: .networkOnly) {
                    try await call.wait()
                    cache.ingest { Ingestion.current?.collect(answer) }
                    return true
                }
                return nil
            }
        case .page:
            let list = cache.list("list", of: type)
            return Task {
                _ = try await list.loadNext { _ in
                    try await call.wait()
                    return ListPage([answer], next: nil)
                }
                return nil
            }
        }
    }
}
