import Foundation
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// The decoding of embedded entities whose identifiers have another key than `id`.
struct IngestionIdentifierKeyTests {
    private let cache = Cache()

    @Test("Entities whose identifiers have another key than id aren't taken for references")
    func entitiesWithAnotherKey() throws {
        let text = #"[{"isbn": "a", "title": "A"}, {"isbn": "b", "title": "B"}]"#
        let relation = try cache.ingest {
            _ = try decoded([Related<Volume>].self, text)
            return Relation<Volume>(in: Ingestion.currentOfTask)
        }
        #expect(cache.count(of: Volume.self) == 2)
        // The keys of further objects needn't be counted.
        #expect(relation.shape == .entity && relation.isDecodableFromIdentifier == false)
        #expect(relation.expectsEntity)
    }

    @Test("Entities that read an id if there is one are told from references by their keys")
    func entitiesThatLookForAnIdentifier() throws {
        let relation = try cache.ingest {
            _ = try decoded([Related<Pamphlet>].self, #"[{"isbn": "a"}, {"isbn": "b"}]"#)
            return Relation<Pamphlet>(in: Ingestion.currentOfTask)
        }
        #expect(!relation.expectsEntity)
    }

    @Test("An object that contains only an id stays a reference after entities with another key")
    func referenceAfterEntitiesWithAnotherKey() throws {
        let text = #"[{"isbn": "a"}, {"isbn": "b"}, {"id": "c"}, {"isbn": "d"}, {"id": "e"}]"#
        #expect(try ingest(text, Pamphlet.self) == ["a", "b", "c", "d", "e"])
        #expect(Set(cache.values(of: Pamphlet.self).map(\.id)) == ["a", "b", "d"])
    }

    @Test("A reference in an array of entities isn't stored", arguments: [true, false])
    func referencesBesideEntities(isFirst: Bool) throws {
        let items = [#"{"isbn": "a", "title": "A"}"#, #"{"isbn": "b", "title": "B"}"#]
        let all = isFirst ? [#"{"id": "c"}"#] + items : items + [#"{"id": "c"}"#, #""d""#]
        let ids = try ingest("[\(all.joined(separator: ","))]", Volume.self)
        #expect(ids == (isFirst ? ["c", "a", "b"] : ["a", "b", "c", "d"]))
        #expect(Set(cache.values(of: Volume.self).map(\.id)) == ["a", "b"])
    }

    private func ingest<Value: CacheEntity & Decodable>(
        _ items: String,
        _ type: Value.Type
    ) throws -> [Value.ID] where Value.ID: Decodable {
        let page = try cache.ingest { try decoded(Page<Value>.self, #"{"items": \#(items)}"#) }
        return page.items.map(\.id)
    }
}

private struct Page<Value: CacheEntity & Decodable>: Decodable where Value.ID: Decodable {
    var items: [Related<Value>]
}

/// An entity that requires the key `isbn`.
private struct Volume: CacheEntity, Decodable {
    private enum CodingKeys: String, CodingKey {
        case id = "isbn"
        case title
    }

    let id: String
    var title: String
}

/// An entity that reads its identifier from the key `id`, or else from the key `isbn`.
private struct Pamphlet: CacheEntity, Decodable {
    private enum CodingKeys: CodingKey {
        case id
        case isbn
    }

    let id: String

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(String.self, forKey: container.contains(.id) ? .id : .isbn)
    }
}
