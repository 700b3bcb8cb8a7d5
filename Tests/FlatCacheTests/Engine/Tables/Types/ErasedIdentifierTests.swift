import Foundation
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct ErasedIdentifierTests {
    struct Code: Hashable, Sendable {
        let bytes: [UInt8]
    }

    struct Colliding: Hashable, Sendable {
        let number: Int
        func hash(into hasher: inout Hasher) { hasher.combine(7) }
    }

    struct Keyed<ID: Hashable & Sendable>: Identifiable, Sendable, HasCachedRelationships {
        let id: ID
        var next: [ID] = []
        var relatedCacheKeys: Set<CacheKey> { Set(next.map { CacheKey(Self.self, id: $0) }) }
    }

    @Test func equalIdentifiersAreEqual() {
        #expect(ErasedIdentifier(1) == ErasedIdentifier(1))
        #expect(ErasedIdentifier("a") == ErasedIdentifier("a"))
        #expect(ErasedIdentifier(Code(bytes: [1])) == ErasedIdentifier(Code(bytes: [1])))
        let hash = ErasedIdentifier(Code(bytes: [1])).hashValue
        #expect(hash == ErasedIdentifier(Code(bytes: [1])).hashValue)
        #expect(ErasedIdentifier(1) != ErasedIdentifier(2))
        #expect(ErasedIdentifier("a") != ErasedIdentifier("b"))
        #expect(ErasedIdentifier(Code(bytes: [1])) != ErasedIdentifier(Code(bytes: [2])))
    }

    @Test func identifiersOfSeveralTypesDiffer() {
        let identifiers: Set = [
            ErasedIdentifier(1), ErasedIdentifier(Int8(1)), ErasedIdentifier(UInt(1)),
            ErasedIdentifier(Int64(1)), ErasedIdentifier("1"), ErasedIdentifier(Character("1")),
            ErasedIdentifier(1.0), ErasedIdentifier(true),
        ]
        #expect(identifiers.count == 8)
    }

    @Test func returnsTheOriginalIdentifier() {
        let code = Code(bytes: [1, 2])
        #expect(ErasedIdentifier(1).typed(as: Int.self) == 1)
        #expect(ErasedIdentifier("a").typed(as: String.self) == "a")
        #expect(ErasedIdentifier(Int8(-1)).typed(as: Int8.self) == -1)
        #expect(ErasedIdentifier(code).typed(as: Code.self) == code)
        #expect(ErasedIdentifier(1).typed(as: String.self) == nil)
        #expect(ErasedIdentifier(code).typed(as: Int.self) == nil)
    }

    @Test func describesTheIdentifier() {
        #expect(ErasedIdentifier(1).description == "1")
        #expect(ErasedIdentifier("a \"b\"").description == "\"a \\\"b\\\"\"")
        #expect(ErasedIdentifier(Int8(-1)).description == "-1")
        let uuid = UUID()
        #expect(ErasedIdentifier(uuid).description == uuid.uuidString)
    }

    /// Checks that the cache stores, finds, relates and observes entities with identifiers of a
    /// type.
    private func expectToServe<ID: Hashable & Sendable>(_ ids: [ID]) {
        let cache = Cache()
        let received = Recorder<ID>()
        cache.set(contentsOf: zip(ids, ids.dropFirst()).map { Keyed(id: $0, next: [$1]) })
        let observations = ids.map { id in
            cache.cached(Keyed<ID>.self, id: id).observeChanges { received.append($0.id) }
        }
        #expect(cache.count(of: Keyed<ID>.self) == ids.count - 1)
        for last in ids.suffix(1) { cache.set(Keyed(id: last)) }
        #expect(received.all == ids)
        for id in ids { #expect(cache[Keyed<ID>.self, id]?.id == id) }
        cache.core.checkInvariants()
        for observation in observations { observation.dispose() }
        for id in ids { #expect(cache.remove(Keyed<ID>.self, id: id)?.id == id) }
        #expect(cache.count(of: Keyed<ID>.self) == 0)
    }

    @Test func identifiersOfAnyTypeAreSupported() {
        expectToServe(Array(0..<100))
        expectToServe((0..<100).map(String.init))
        expectToServe((0..<100).map { Int8($0) })
        expectToServe((0..<100).map { _ in UUID() })
        expectToServe((0..<100).map { Code(bytes: [$0]) })
        expectToServe((0..<100).map { Colliding(number: $0) })
        expectToServe([RelationshipDepth.none, .levels(1), .allRelationships])
    }

    @Test func optionalIdentifiersAreSupported() {
        expectToServe([Int?.none, 1, 2])
        expectToServe([String?("a"), nil, "b"])
    }
}
