import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests answers that bring an entity with the entities that it owns.
struct RefusedOwnerTests {
    private struct Album: CacheEntity, OwnsCachedValues {
        let id: Int

        var ownedCacheKeys: Set<CacheKey> { [CacheKey(Track.self, id: id)] }
    }

    private struct Track: CacheEntity, Equatable {
        let id: Int
        var title = ""
    }

    private let cache = Cache()

    /// Loads an album with its track, and calls a closure while the load runs.
    private func load(whileLoading body: @escaping @Sendable () -> Void) async throws {
        _ = try await cache.load(Album.self, id: 1) { [cache] in
            body()
            cache.ingest { Ingestion.current?.collect(Track(id: 1, title: "late")) }
            return Album(id: 1)
        }
    }

    @Test func trackOfARemovedAlbumIsNotStored() async throws {
        try await load { [cache] in cache.remove(Album.self, id: 1) }
        #expect(cache[Album.self, 1] == nil)
        #expect(cache[Track.self, 1] == nil)
    }

    @Test func trackThatWasStoredBeforeStays() async throws {
        cache.set(Track(id: 1, title: "early"))
        try await load { [cache] in cache.remove(Album.self, id: 1) }
        #expect(cache[Album.self, 1] == nil)
        #expect(cache[Track.self, 1] != nil)
    }

    @Test func invalidationOfTheAlbumRemovesNoTrack() async throws {
        try await load { [cache] in cache.invalidate(Album.self) }
        #expect(cache[Track.self, 1] != nil)
    }

    @Test func ingestInTheClosureStoresNoTrackOfARemovedAlbum() async throws {
        _ = try await cache.load(Album.self, id: 1) { [cache] in
            cache.remove(Album.self, id: 1)
            cache.ingest {
                let scope = Ingestion.current
                scope?.collect(Album(id: 1))
                scope?.collect(Track(id: 1))
            } apply: { _, _ in
            }
            return nil
        }
        #expect(cache[Track.self, 1] == nil)
        // The next answer is stored with its track.
        try await load {}
        #expect(cache[Track.self, 1] != nil)
    }
}
