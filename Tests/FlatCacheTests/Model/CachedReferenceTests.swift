import FlatCache
import Testing

@testable import FlatCacheTestSupport

struct CachedReferenceTests {
    private struct Track: CacheEntity, Codable { let id: Int }

    private enum TrackRef: PolymorphicRelation {
        case track(Related<Track>)

        static let cases = [
            RelationCase("Track", TrackRef.track) {
                if case .track(let track) = $0 { track } else { nil }
            }
        ]
    }

    private struct Sides: CachedReference {
        var first: Related<Track>
        var others: [Related<Track>]

        func insertCacheKeys(into keys: inout Set<CacheKey>) {
            first.insertCacheKeys(into: &keys)
            others.insertCacheKeys(into: &keys)
        }
    }

    /// Returns the identifiers of the tracks that a value refers to.
    private func ids(_ value: some CachedReference) -> Set<Int> {
        var keys: Set<CacheKey> = [CacheKey(Track.self, id: 0)]
        value.insertCacheKeys(into: &keys)
        return Set(keys.compactMap { $0.id(as: Track.self) })
    }

    @Test func keysAreInsertedForValuesOfEveryShape() {
        let one = Related<Track>(1)
        let two = Related<Track>(2)
        #expect(ids(one) == [0, 1])
        #expect(ids(TrackRef.track(two)) == [0, 2])
        #expect(ids(Optional(one)) == [0, 1])
        #expect(ids(Related<Track>?.none) == [0])
        #expect(ids([one, two, one]) == [0, 1, 2])
        #expect(ids([Related<Track>]()) == [0])
        #expect(ids(Set([one, two])) == [0, 1, 2])
        #expect(ids(["a": one, "b": two]) == [0, 1, 2])
        #expect(ids([one: two]) == [0, 2])
        #expect(ids(Known.value(one)) == [0, 1])
        #expect(ids(Known<Related<Track>>.null) == [0])
        #expect(ids(Known<Related<Track>>.unknown) == [0])
    }

    @Test func keysAreInsertedAtAnyDepth() {
        let tracks: Known<[String: [TrackRef?]]> = .value([
            "a": [.track(Related(1)), nil], "b": [],
        ])
        #expect(ids(tracks) == [0, 1])
        let sides = [Sides(first: Related(1), others: [Related(2), Related(3)])]
        #expect(ids(Optional(sides)) == [0, 1, 2, 3])
    }
}
