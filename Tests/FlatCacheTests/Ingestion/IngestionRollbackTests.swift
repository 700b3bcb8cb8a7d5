import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Elements that can't be decoded inside a scope.
struct IngestionRollbackTests {
    private typealias City = Library.City

    /// An object that uses a scope while it's released.
    private final class Token: Sendable {
        private let scope: Ingestion?

        init(_ scope: Ingestion?) { self.scope = scope }

        deinit { _ = scope?.report }
    }

    private struct Owner: CacheEntity, Decodable {
        private enum CodingKeys: CodingKey { case id }

        @TaskLocal static var scope: Ingestion?

        let id: Int
        let token: Token

        init(from decoder: any Decoder) throws {
            id = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .id)
            token = Token(Self.scope)
        }
    }

    private struct House: Decodable {
        var owner: Related<Owner>
        var name: String
    }

    /// An element that ingests a city before it fails.
    private struct Visit: Decodable {
        @TaskLocal static var cache: Cache?

        init(from decoder: any Decoder) throws {
            try Self.cache?.ingest { try City(from: decoder) }
            throw ForwardContainer.Failure.malformed
        }
    }

    private let cache = Cache()

    @Test func resultOfARemovedInnerIngestIsCollectedAgain() throws {
        let text = #"[{"id": "1", "name": "Gont"}]"#
        try cache.ingest {
            let visits = try Visit.$cache.withValue(cache) {
                try decoded(ValidElements<Visit>.self, text)
            }
            #expect(visits.problems.count == 1)
            return City(id: "1", name: "Gont")
        }
        #expect(cache.get(City.self, id: "1")?.name == "Gont")
    }

    @Test func removedEntityMayUseTheScope() throws {
        let text = #"[{"owner": {"id": 1, "age": 2}, "name": 3}]"#
        let houses = try cache.ingest {
            try Owner.$scope.withValue(Ingestion.current) {
                try decoded(ValidElements<House>.self, text)
            }
        }
        #expect(houses.problems.count == 1)
        #expect(cache.count(of: Owner.self) == 0)
    }

    @Test func containerThatLeavesOutAMalformedElementThrowsItsError() throws {
        try cache.ingest {
            let scope = try #require(Ingestion.current)
            for name in ["Gont", "Roke"] {
                _ = try decoded(Related<City>.self, #"{"id": "1", "name": "\#(name)"}"#)
            }
            try #require(Relation<City>(in: scope).expectsEntity)
            var container: any UnkeyedDecodingContainer = ForwardContainer()
            #expect(throws: ForwardContainer.Failure.malformed) {
                try Related<City>.decodeElements(of: &container, in: scope)
            }
            #expect(container.currentIndex == 1)
        }
    }
}

/// A container that goes on after an element that it couldn't decode.
private struct ForwardContainer: UnkeyedDecodingContainer {
    enum Failure: Error { case malformed, other }

    var currentIndex = 0

    var codingPath: [any CodingKey] { [] }
    var count: Int? { 2 }
    var isAtEnd: Bool { currentIndex == 2 }

    mutating func decodeNil() throws -> Bool { false }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        currentIndex += 1
        throw Failure.malformed
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        throw Failure.other
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw Failure.other
    }

    mutating func superDecoder() throws -> any Decoder { throw Failure.other }
}
