import FlatCache
import Foundation
import Testing

@testable import FlatCacheTestSupport

/// Ingests from a decoder that has no nested containers and no nested decoders.
struct IngestionFlatDecoderTests {
    private struct Shelf: Decodable {
        var first: Related<Library.Person>
        var people: [Related<Library.Person>]
        var more: [Related<Library.Person>]?
    }

    @Test(
        "Arrays of references are decoded without nested containers",
        arguments: [
            #"{"first": 1, "people": [2, 3], "more": [4]}"#,
            #"{"first": {"id": 1, "age": 2}, "people": [2, 3], "more": [4]}"#,
            #"{"first": 1, "people": [{"id": 2, "age": 1}, 3], "more": [{"id": 4}]}"#,
        ]
    )
    func arraysOfReferences(text: String) throws {
        let shelf = try Cache().ingest { try decoded(Flat<Shelf>.self, text).value }
        #expect(shelf.first.id == 1)
        #expect(shelf.people.map(\.id) == [2, 3])
        #expect(shelf.more?.map(\.id) == [4])
    }
}

extension IngestionFlatDecoderTests {
    private struct Route: Decodable {
        var start: Related<Library.City>
        var end: Related<Library.City>
        var rest: Related<Library.City>
        var stops: [Related<Library.City>]
    }

    @Test func identifiersAfterEntitiesAreDecodedWithoutNestedDecoders() throws {
        let cache = Cache()
        let text = #"""
            {"start": {"id": "a", "name": "A"}, "end": {"id": "b", "name": "B"},
            "stops": [{"id": "c", "name": "C"}, {"id": "d", "name": "D"}, "e"], "rest": "f"}
            """#
        let route = try cache.ingest { try decoded(Flat<Route>.self, text).value }
        #expect(route.end.id == "b")
        #expect(route.stops.map(\.id) == ["c", "d", "e"])
        #expect(route.rest.id == "f")
        #expect(cache.count(of: Library.City.self) == 4)
    }
}

/// A value whose decoder has no nested containers.
private struct Flat<Value: Decodable>: Decodable {
    let value: Value

    init(from decoder: any Decoder) throws {
        value = try Value(from: FlatDecoder(base: decoder))
    }
}

private struct HasNoNestedContainers: Error {}

private struct FlatDecoder: Decoder {
    let base: any Decoder

    var codingPath: [any CodingKey] { base.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(FlatContainer(base: try base.container(keyedBy: type)))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        FlatList(base: try base.unkeyedContainer())
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        try base.singleValueContainer()
    }
}

private struct FlatContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let base: KeyedDecodingContainer<Key>

    var codingPath: [any CodingKey] { base.codingPath }
    var allKeys: [Key] { base.allKeys }

    func contains(_ key: Key) -> Bool { base.contains(key) }

    func decodeNil(forKey key: Key) throws -> Bool { try base.decodeNil(forKey: key) }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try base.decode(type, forKey: key)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        throw HasNoNestedContainers()
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        throw HasNoNestedContainers()
    }

    func superDecoder() throws -> any Decoder { throw HasNoNestedContainers() }

    func superDecoder(forKey key: Key) throws -> any Decoder { throw HasNoNestedContainers() }
}

private struct FlatList: UnkeyedDecodingContainer {
    var base: any UnkeyedDecodingContainer

    var codingPath: [any CodingKey] { base.codingPath }
    var count: Int? { base.count }
    var isAtEnd: Bool { base.isAtEnd }
    var currentIndex: Int { base.currentIndex }

    mutating func decodeNil() throws -> Bool { try base.decodeNil() }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try base.decode(type) }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        throw HasNoNestedContainers()
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw HasNoNestedContainers()
    }

    mutating func superDecoder() throws -> any Decoder { throw HasNoNestedContainers() }
}
