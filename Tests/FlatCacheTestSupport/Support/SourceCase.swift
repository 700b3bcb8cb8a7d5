import FlatCache

/// A kind of source, whose state depends on the station 1.
struct SourceCase: Sendable, CustomStringConvertible {
    let description: String
    /// Returns a new source of the kind.
    let make: @Sendable (Cache) -> any CacheSource

    private init(_ description: String, _ make: @escaping @Sendable (Cache) -> any CacheSource) {
        self.description = description
        self.make = make
    }

    static let all = [
        SourceCase("entity") { $0.cached(Station.self, id: 1) },
        SourceCase("entity alone") { $0.cached(Station.self, id: 1).following(.none) },
        SourceCase("list") { $0.list("line", of: Station.self) },
        SourceCase("list alone") { $0.list("line", of: Station.self).following(.none) },
        SourceCase("alias") { $0.alias("current", of: Station.self) },
        SourceCase("alias alone") { $0.alias("current", of: Station.self).following(.none) },
        SourceCase("query") { $0.query(Station.self) },
        SourceCase("rows") { $0.query(Station.self).map { $0.revision } },
        SourceCase("aggregate") { $0.query(Station.self).aggregate(.max(of: \.revision)) },
        SourceCase("groups") { $0.query(Station.self).aggregate(.count, by: \.revision) },
        SourceCase("sections") { $0.query(Station.self).sections(by: \.revision) },
        SourceCase("part of an entity") { $0.cached(Station.self, id: 1).map { $0.revision } },
    ]

    /// The kinds that have a change whenever the station changes.
    ///
    /// The changes of an alias are those of its target.
    static let changingWithTheEntity = all.filter { !$0.description.hasPrefix("alias") }

    /// Returns a cache in which each source has a state.
    static func cache() -> Cache {
        let cache = Cache()
        cache.list("line", of: Station.self).replace(with: [Station(id: 1)])
        cache.alias("current", of: Station.self).target = 1
        return cache
    }
}
