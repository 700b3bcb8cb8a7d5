import FlatCache

/// A node of a graph, with a revision and relationships to other stations.
struct Station: Identifiable, Sendable, Equatable, HasCachedRelationships {
    let id: Int
    var revision = 0
    var next: [Station.ID] = []

    var relatedCacheKeys: Set<CacheKey> {
        Set(next.map { CacheKey(Station.self, id: $0) })
    }

    /// Returns stations from 0 to `count - 1`, each related to the next one.
    static func chain(_ count: Int) -> [Station] {
        (0..<count).map { Station(id: $0, next: $0 + 1 < count ? [$0 + 1] : []) }
    }
}

extension CacheType {
    /// Increments the revision of a station and keeps its relationships.
    func touch(_ id: Station.ID) {
        update(Station.self, id: id) { $0.revision += 1 }
    }
}

extension Cache {
    /// Records each call of an observer of a station.
    func record(
        _ id: Station.ID,
        following: RelationshipDepth = .allRelationships,
        in recorder: Recorder<Station.ID>
    ) -> Disposable {
        cached(Station.self, id: id).following(following)
            .observeChanges { recorder.append($0.id) }
    }
}
