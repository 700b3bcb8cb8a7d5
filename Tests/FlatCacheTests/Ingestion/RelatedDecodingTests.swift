import FlatCache
import Foundation
import Testing

@testable import FlatCacheTestSupport

/// The shapes in which a reference is decoded outside an ingest.
struct RelatedDecodingTests {
    @Test func threeShapesCanOccurSideBySide() throws {
        #expect(
            try decode([Related<Writer>].self, #"[7, {"id": 8}, {"id": 9, "name": "Le Guin"}, 7]"#)
                == [Related(7), Related(8), Related(9), Related(7)]
        )
    }

    @Test func identifierCanBeAnObject() throws {
        let references = try decode(
            [Related<Edition>].self,
            #"""
            [
                {"group": 0, "number": 1}, {"id": {"group": 0, "number": 2}},
                {"id": {"group": 0, "number": 3}, "pages": 205}, {"group": 0, "number": 4}
            ]
            """#
        )
        #expect(references.map(\.id.number) == [1, 2, 3, 4])
    }

    @Test("The other properties of a type that isn't Decodable are ignored")
    func typeThatCannotBeDecoded() throws {
        let references = try decode([Related<Shelf>].self, #"["a", {"id": "b", "floor": 2}]"#)
        #expect(references == [Related("a"), Related("b")])
    }

    @Test func encodingAnEmbeddedEntityWritesTheIdentifier() throws {
        let references = try decode([Related<Writer>].self, #"[{"id": 9, "name": "Le Guin"}]"#)
        #expect(String(decoding: try JSONEncoder().encode(references), as: UTF8.self) == "[9]")
    }

    @Test(
        "An error names the entity's type and the place",
        arguments: [
            (#"{"items": [null]}"#, "items.Index 0"),
            (#"{"items": [1, true]}"#, "items.Index 1"),
            (#"{"items": [[1]]}"#, "items.Index 0"),
            (#"{"items": [1, "x"]}"#, "items.Index 1"),
            (#"{"items": [{}]}"#, "items.Index 0"),
            (#"{"items": [{"id": null}]}"#, "items.Index 0.id"),
            (#"{"items": [{"id": 1, "name": 5}]}"#, "items.Index 0.name"),
            (#"{"items": [{"id": 1, "name": "A"}, {"id": 1, "name": 5}]}"#, "items.Index 1.name"),
            (#"{"items": [{"id": 1, "name": "A"}, "x"]}"#, "items.Index 1"),
            (#"{"items": [{"id": 1}, {"id": []}]}"#, "items.Index 1.id"),
        ]
    )
    func errors(text: String, path: String) throws {
        struct Page: Decodable { var items: [Related<Writer>] }
        let error = try #require(throws: DecodingError.self) { try decode(Page.self, text) }
        let context = try #require(error.details)
        #expect(context.codingPath.map(\.stringValue).joined(separator: ".") == path)
        #expect(context.debugDescription.hasPrefix("Related<Writer>"))
        #expect(context.debugDescription.components(separatedBy: "Related<").count == 2)
    }

    @Test func errorNamesTheInnermostEntity() throws {
        let text = #"[{"id": 1, "author": {"id": 1, "name": 5}}]"#
        let error = try #require(throws: DecodingError.self) {
            try decode([Related<Novel>].self, text)
        }
        #expect(error.details?.debugDescription.hasPrefix("Related<Writer>: ") == true)
    }

    private func decode<Result: Decodable>(_ type: Result.Type, _ text: String) throws -> Result {
        try JSONDecoder().decode(type, from: Data(text.utf8))
    }
}

private struct Writer: CacheEntity, Codable, Equatable {
    let id: Int
    var name: String
}

private struct Novel: CacheEntity, Codable, Equatable {
    let id: Int
    var author: Related<Writer>
}

private struct Edition: CacheEntity, Codable, Equatable {
    struct ID: Hashable, Codable {
        var group: Int
        var number: Int
    }

    let id: ID
    var pages: Int
}

private struct Shelf: CacheEntity, Equatable {
    let id: String
}
