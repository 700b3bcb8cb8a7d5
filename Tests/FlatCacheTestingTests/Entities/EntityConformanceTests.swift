import FlatCache
import FlatCacheTesting
import Testing

/// A model whose conformances are correct.
private struct Album: Identifiable, Equatable, Mergeable, HasCachedRelationships, Sendable {
    let id: Int
    var title: String
    var year: Int?
    var artist: Related<Artist>?
    var tracks: [Related<Track>] = []

    func merged(with other: Album) -> Album {
        Album(
            id: id,
            title: other.title,
            year: other.year ?? year,
            artist: other.artist ?? artist,
            tracks: other.tracks
        )
    }

    var relatedCacheKeys: Set<CacheKey> {
        Set(tracks.map(\.cacheKey) + [artist?.cacheKey].compactMap(\.self))
    }

    static let samples = varied(
        Album(
            id: 1,
            title: "Kid A",
            year: 2000,
            artist: Related("radiohead"),
            tracks: [Related(1)]
        ),
        { $0.title = "Amnesiac" },
        { $0.year = nil },
        { $0.year = 2001 },
        { $0.artist = nil },
        { $0.artist = Related("thom") },
        { $0.tracks = [Related(2), Related(3)] }
    )
}

private struct Artist: Identifiable, Sendable {
    let id: String
}

private struct Track: Identifiable, Sendable {
    let id: Int
}

/// Returns a value, and a copy of it for each change.
private func varied<Value>(_ value: Value, _ changes: (inout Value) -> Void...) -> [Value] {
    [value]
        + changes.map { change in
            var copy = value
            change(&copy)
            return copy
        }
}

struct EntityConformanceTests {
    private typealias Requirement = EntityConformance.Requirement

    private func findings<Entity: Identifiable & Sendable>(
        _ samples: [Entity],
        ignoring properties: Set<String> = []
    ) -> [String] where Entity.ID: Sendable {
        EntityConformance.check(samples, ignoring: properties).map {
            "\($0.property ?? "-") \($0.requirement)"
        }
    }

    @Test func correctModelHasNoFailures() {
        #expect(EntityConformance.check(Album.samples) == [])
    }

    @Test func propertyWithoutSamplesIsAFailure() {
        #expect(
            findings(Array(Album.samples.dropLast())) == ["tracks samplesVaryProperty"]
        )
        #expect(findings(Array(Album.samples.dropLast()), ignoring: ["tracks"]) == [])
    }

    @Test func samplesOfOtherIdentifiersDontCount() {
        struct Label: Identifiable, Sendable {
            let id: Int
            var name: String
        }
        #expect(
            findings([Label(id: 1, name: "a"), Label(id: 2, name: "b")])
                == ["name samplesVaryProperty"]
        )
        #expect(findings([Label(id: 1, name: "a"), Label(id: 1, name: "b")]) == [])
    }

    @Test func mergeThatLosesAKnownValueIsFound() {
        struct Song: Identifiable, Mergeable, Sendable {
            let id: Int
            var length: Int?
            var key: String?

            func merged(with other: Song) -> Song {
                Song(id: id, length: other.length, key: other.key ?? key)
            }
        }
        let samples = varied(
            Song(id: 1, length: 200, key: "C"),
            { $0.length = nil },
            { $0.key = nil }
        )
        #expect(findings(samples) == ["length mergeKeepsKnownValues"])
    }

    @Test func mergeThatForgetsANewValueIsFound() {
        struct Song: Identifiable, Mergeable, Sendable {
            let id: Int
            var name = ""
            var plays = 0

            func merged(with other: Song) -> Song {
                var copy = self
                copy.plays = max(plays, other.plays)
                return copy
            }
        }
        let samples = varied(Song(id: 1), { $0.name = "a" }, { $0.plays = 7 })
        #expect(findings(samples) == ["name mergeTakesNewerValues"])
    }

    @Test func mergeThatForgetsAPropertyEntirelyIsFound() {
        struct Song: Identifiable, Mergeable, Sendable {
            let id: Int
            var name = ""
            var rating: Int?

            func merged(with other: Song) -> Song { Song(id: id, name: other.name) }
        }
        let samples = varied(Song(id: 1), { $0.name = "a" }, { $0.rating = 5 })
        #expect(
            Set(findings(samples)) == [
                "rating mergeKeepsKnownValues", "rating mergeWithItselfChangesNothing",
            ]
        )
    }

    @Test func mergeThatChangesTheIdentifierIsFound() {
        struct Song: Identifiable, Mergeable, Sendable {
            let id: Int
            var name = ""

            func merged(with other: Song) -> Song { Song(id: id + 1, name: other.name) }
        }
        let samples = varied(Song(id: 1), { $0.name = "a" })
        #expect(findings(samples).contains("- mergeKeepsIdentifier"))
    }

    @Test func equalityThatIgnoresAPropertyIsFound() {
        struct Song: Identifiable, Equatable, Sendable {
            let id: Int
            var name = ""
            var plays = 0

            static func == (left: Song, right: Song) -> Bool {
                left.id == right.id && left.name == right.name
            }
        }
        let samples = varied(Song(id: 1), { $0.name = "a" }, { $0.plays = 7 })
        #expect(findings(samples) == ["plays equalityComparesProperty"])
        #expect(findings(samples, ignoring: ["plays"]) == [])
    }

    @Test func relationshipThatIsntListedIsFound() {
        struct Song: Identifiable, HasCachedRelationships, Sendable {
            let id: Int
            var artist: Related<Artist>?
            var remixes: [String: [Related<Track>]] = [:]

            var relatedCacheKeys: Set<CacheKey> { Set([artist?.cacheKey].compactMap(\.self)) }
        }
        let samples = varied(
            Song(id: 1),
            { $0.artist = Related("a") },
            { $0.remixes = ["b": [Related(1)]] }
        )
        let failures = EntityConformance.check(samples)
        #expect(failures.map(\.property) == ["remixes"])
        #expect(failures.first?.requirement == .relatedCacheKeysListsRelationship)
        #expect(failures.first?.description.contains("lacks Track(1)") == true)
    }

    @Test func relationshipOfAModelWithoutTheProtocolIsFound() {
        struct Song: Identifiable, Sendable {
            let id: Int
            var artist: Related<Artist>
        }
        let samples = [Song(id: 1, artist: Related("a")), Song(id: 1, artist: Related("b"))]
        #expect(findings(samples) == ["artist relatedCacheKeysListsRelationship"])
    }

    @Test func propertiesOfSuperclassesAreChecked() {
        let samples = [Remix(id: 1, name: "a", source: 1), Remix(id: 1, name: "b", source: 1)]
        #expect(findings(samples) == ["source samplesVaryProperty"])
    }

    @Test func descriptionNamesTypePropertyAndSamples() {
        struct Song: Identifiable, Equatable, Sendable {
            let id: Int
            var plays = 0

            static func == (left: Song, right: Song) -> Bool { left.id == right.id }
        }
        let failures = EntityConformance.check([Song(id: 1), Song(id: 1, plays: 7)])
        let description = failures.first?.description ?? ""
        #expect(description.hasPrefix("Song.plays: == returns true"))
        #expect(description.contains("plays: 7"))
    }
}

private class Recording: Identifiable, @unchecked Sendable {
    let id: Int
    let name: String

    init(id: Int, name: String) {
        self.id = id
        self.name = name
    }
}

// Immutable, as its superclass is.
private final class Remix: Recording, @unchecked Sendable {
    let source: Int

    init(id: Int, name: String, source: Int) {
        self.source = source
        super.init(id: id, name: name)
    }
}
