import FlatCache
import FlatCacheTesting
import Testing

/// The check of models with `Known` properties.
struct EntityConformanceKnownTests {
    private struct Artist: Identifiable, Sendable { let id: String }

    private func findings<Entity: Identifiable & Sendable>(_ samples: [Entity]) -> [String]
    where Entity.ID: Sendable {
        EntityConformance.check(samples).map { "\($0.property ?? "-") \($0.requirement)" }
    }

    @Test func correctModelHasNoFailures() {
        struct Song: Identifiable, Equatable, Mergeable, HasCachedRelationships, Sendable {
            let id: Int
            @Known var length: Int?
            @Known var artist: Related<Artist>?

            func merged(with other: Song) -> Song {
                var merged = self
                merged.$length = $length.merged(with: other.$length)
                merged.$artist = $artist.merged(with: other.$artist)
                return merged
            }

            var relatedCacheKeys: Set<CacheKey> { artist.map { [$0.cacheKey] } ?? [] }
        }
        var samples = Array(
            repeating: Song(id: 1, length: 200, artist: Related("radiohead")),
            count: 7
        )
        samples[1].length = 300
        samples[2].length = nil
        samples[3].$length = .unknown
        samples[4].artist = Related("thom")
        samples[5].artist = nil
        samples[6].$artist = .unknown
        #expect(EntityConformance.check(samples) == [])
    }

    private struct Recording: Identifiable, Mergeable, Sendable {
        let id: Int
        @Known var length: Int?
        @Known var artist: Related<Artist>?
        var isForgotten = false

        func merged(with other: Recording) -> Recording {
            var merged = self
            if !isForgotten { merged.$length = $length.merged(with: other.$length) }
            // A mistake: a null is lost, and an unknown artist becomes null.
            merged.artist = other.artist ?? artist
            merged.isForgotten = other.isForgotten
            return merged
        }
    }

    @Test func forgottenPropertyIsFound() {
        var samples = Array(
            repeating: Recording(id: 1, length: 200, isForgotten: true),
            count: 3
        )
        samples[1].length = 300
        samples[2].$length = .unknown
        let failures = findings(samples)
        #expect(failures.contains("length mergeTakesNewerValues"))
        #expect(failures.contains("length mergeKeepsKnownValues"))
    }

    @Test func lostNullIsFound() {
        var samples = Array(repeating: Recording(id: 1, artist: Related("radiohead")), count: 2)
        samples[1].artist = nil
        #expect(findings(samples).contains("artist mergeTakesNewerValues"))
        samples[1].$artist = .unknown
        #expect(!findings(samples).contains("artist mergeTakesNewerValues"))
    }

    @Test func mergeThatMakesAnUnknownValueNullIsFound() {
        var sample = Recording(id: 1, length: 200)
        sample.$artist = .unknown
        #expect(findings([sample]).contains("artist mergeWithItselfChangesNothing"))
    }

    @Test func forgottenRelationshipIsFound() {
        let samples = [Recording(id: 1, artist: Related("radiohead"))]
        #expect(findings(samples).contains("artist relatedCacheKeysListsRelationship"))
    }
}
