import FlatCache
import FlatCacheFoundation
import Foundation
import Testing

/// The views of a resource that hand-written and unusual models ask for.
struct ResourceDecodingTests {
    private struct Member: CacheEntity, Codable, Equatable {
        let id: Int
        var name: String?
    }

    /// A relation with another discriminator than `type`.
    private enum Target: PolymorphicRelation {
        case member(Related<Member>)

        static let discriminator = "kind"
        static let cases = [
            RelationCase("members", Target.member) {
                if case .member(let it) = $0 { it } else { nil }
            }
        ]
    }

    private func resource<Entity: CacheEntity & Decodable>(
        _ type: Entity.Type,
        _ members: String
    ) throws -> Entity {
        try Cache().ingest(
            JSONAPIDocument<Entity>.self,
            from: data(#"{"data": {"type": "entities", "id": "1", \#(members)}}"#),
            types: ["entities": type, "members": Member.self]
        ).data
    }

    private let relationships = """
        "relationships": {
            "one": {"data": {"type": "members", "id": "7"}},
            "many": {"data": [
                {"type": "members", "id": "8"}, {"type": "members", "id": "x"},
                {"type": "members", "id": "9"}
            ]},
            "none": {"data": null}, "absent": {"meta": {}}
        }
        """

    @Test func relationsCanHaveAnotherDiscriminator() throws {
        struct Entity: CacheEntity, Decodable {
            let id: Int
            var one: Target
            var none: Target?
            var absent: Target?
        }
        let entity = try resource(Entity.self, relationships)
        #expect(entity.one == .member(Related(7)))
        #expect(entity.none == nil)
        #expect(entity.absent == nil)
    }

    @Test func malformedRelatedIdentifiersCanBeDropped() throws {
        struct Entity: CacheEntity, Decodable {
            let id: Int
            var many: [Related<Member>]

            private enum Key: CodingKey { case id, many }

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Key.self)
                id = try container.decode(Int.self, forKey: .id)
                let valid = try container.decode(ValidElements<Related<Member>>.self, forKey: .many)
                #expect(valid.problems.map(\.index) == [1])
                many = Array(valid)
            }
        }
        #expect(try resource(Entity.self, relationships).many == [Related(8), Related(9)])
    }

    @Test func handWrittenInitializersReadNestedContainers() throws {
        struct Entity: CacheEntity, Decodable {
            enum Key: String, CodingKey, CaseIterable {
                case id, type, one, many, none, absent, size, list, missing
            }
            enum NestedKey: CodingKey { case id, type, width }

            let id: String

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Key.self)
                id = try container.decode(String.self, forKey: .id)
                #expect(container.codingPath.map(\.stringValue) == ["data"])
                #expect(
                    Set(container.allKeys) == [.id, .type, .one, .many, .none, .size, .list]
                )
                for key in Key.allCases {
                    #expect(container.contains(key) == container.allKeys.contains(key))
                }
                #expect(try container.decodeNil(forKey: .none))
                #expect(try !container.decodeNil(forKey: .one))
                #expect(throws: DecodingError.self) { try container.decodeNil(forKey: .missing) }

                let one = try container.nestedContainer(keyedBy: NestedKey.self, forKey: .one)
                #expect(try one.decode(String.self, forKey: .type) == "members")
                #expect(try one.decode(Int8.self, forKey: .id) == 7)
                #expect(one.allKeys == [.id, .type])
                #expect(try one.decodeIfPresent(Int.self, forKey: .width) == nil)
                let size = try container.nestedContainer(keyedBy: NestedKey.self, forKey: .size)
                #expect(try size.decode(Int.self, forKey: .width) == 3)

                var many = try container.nestedUnkeyedContainer(forKey: .many)
                #expect(many.count == 3)
                #expect(try !many.decodeNil())
                #expect(try many.decode(Related<Member>.self) == Related(8))
                let other = try many.nestedContainer(keyedBy: NestedKey.self)
                #expect(try other.decode(String.self, forKey: .id) == "x")
                #expect(try many.superDecoder().singleValueContainer().decode(Int.self) == 9)
                #expect(many.isAtEnd)
                #expect(throws: DecodingError.self) { try many.decode(Int.self) }
                var list = try container.nestedUnkeyedContainer(forKey: .list)
                #expect(try list.decode(Int.self) == 1)

                let related = try container.superDecoder(forKey: .one)
                #expect(try Related<Member>(from: related) == Related(7))
                let text = try container.superDecoder(forKey: .id).singleValueContainer()
                #expect(try text.decode(UInt.self) == 1)
                #expect(throws: DecodingError.self) { try text.decode(Bool.self) }
                #expect(throws: DecodingError.self) { try text.decode([Int].self) }
                #expect(throws: DecodingError.self) {
                    try decoder.singleValueContainer().decode(Int.self)
                }
                #expect(throws: DecodingError.self) { try decoder.unkeyedContainer() }
            }
        }
        let attributes = #""attributes": {"size": {"width": 3}, "list": [1, 2]}"#
        _ = try resource(Entity.self, "\(attributes), \(relationships)")
    }

    @Test(arguments: ["true", "-1", "256", "1.5", "", " 1", "+1", "1e0"])
    func identifierThatIsNoNumberOfTheTypeIsAnError(id: String) {
        struct Small: CacheEntity, Decodable { let id: UInt8 }
        #expect(throws: DecodingError.self) {
            try Cache().ingest(
                JSONAPIDocument<Small>.self,
                from: data(#"{"data": {"type": "small", "id": "\#(id)", "attributes": {}}}"#),
                types: ["small": Small.self]
            )
        }
    }

    @Test func subclassesReadTheAttributesOfTheirSuperclass() throws {
        final class Entity: CacheEntity, Decodable {
            let id: Int
            let name: String

            private enum Key: CodingKey { case id, name }

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Key.self)
                id = try container.decode(Int.self, forKey: .id)
                let base = try container.superDecoder().container(keyedBy: Key.self)
                name = try base.decode(String.self, forKey: .name)
            }
        }
        let entity = try resource(Entity.self, #""attributes": {"super": {"name": "A"}}"#)
        #expect(entity.name == "A")
    }

    @Test func identifiersCanBeURLsAndDecimals() throws {
        struct Page: CacheEntity, Codable { let id: URL }
        struct Price: CacheEntity, Codable { let id: Decimal }
        struct Entity: CacheEntity, Decodable {
            let id: Int
            var page: Related<Page>
            var price: Related<Price>
            var pages: [URL]
            var exact: Decimal
        }
        let cache = Cache()
        let document = try cache.ingest(
            JSONAPIDocument<Entity>.self,
            from: data(
                """
                {"data": {"type": "entities", "id": "1", "relationships": {
                    "page": {"data": {"type": "pages", "id": "https://a.b/c"}},
                    "price": {"data": {"type": "prices", "id": "0.1"}},
                    "pages": {"data": [{"type": "pages", "id": "https://a.b/d"}]},
                    "exact": {"data": {"type": "prices", "id": "-12345678901234567890.5"}}
                }},
                "included": [
                    {"type": "pages", "id": "https://a.b/c"}, {"type": "prices", "id": "0.1"}
                ]}
                """
            ),
            types: ["entities": Entity.self, "pages": Page.self, "prices": Price.self]
        )
        let url = try #require(URL(string: "https://a.b/c"))
        let number = try #require(Decimal(string: "0.1"))
        #expect(document.data.page.id == url)
        #expect(document.data.price.id == number)
        #expect(document.data.pages.map(\.absoluteString) == ["https://a.b/d"])
        #expect(document.data.exact == Decimal(string: "-12345678901234567890.5"))
        #expect(cache.ids(of: Page.self) == [url])
        #expect(cache.ids(of: Price.self) == [number])
    }

    @Test(arguments: ["", "1x", "01", "+1", "1.0", "NaN", "x"])
    func identifierThatIsNoDecimalIsAnError(id: String) {
        struct Price: CacheEntity, Codable { let id: Decimal }
        #expect(throws: DecodingError.self) {
            try Cache().ingest(
                JSONAPIDocument<Price>.self,
                from: data(#"{"data": {"type": "prices", "id": "\#(id)", "attributes": {}}}"#),
                types: ["prices": Price.self]
            )
        }
    }

    /// A relation whose case has another type than the list of types.
    private enum Misnamed: PolymorphicRelation {
        case member(Related<Member>), other(UnknownRelation)

        static let cases = [
            RelationCase("members", Misnamed.member) {
                if case .member(let it) = $0 { it } else { nil }
            },
            RelationCase("entities", Misnamed.member) {
                if case .member(let it) = $0 { it } else { nil }
            },
            RelationCase(unknown: Misnamed.other) {
                if case .other(let it) = $0 { it } else { nil }
            },
        ]
    }

    @Test func listedTypeThatTheRelationKnowsByAnotherNameIsAnError() throws {
        struct Group: CacheEntity, Decodable {
            let id: Int
            var first: Misnamed
        }
        let document = """
            {"data": {"type": "groups", "id": "1", "relationships": {
                "first": {"data": {"type": "people", "id": "7"}}
            }}}
            """
        let error = try #require(throws: DecodingError.self) {
            try Cache().ingest(
                JSONAPIDocument<Group>.self,
                from: data(document),
                types: ["groups": Group.self, "people": Member.self]
            )
        }
        let description = try #require(error.context?.debugDescription)
        #expect(description.contains(#"knows Member by the name "members""#))
        #expect(description.contains(#"the resource "people" with the id "7""#))
    }

    @Test func relationCaseOfAnotherTypeThanTheListedOneIsAnError() throws {
        struct Entity: CacheEntity, Decodable {
            let id: Int
            var one: Misnamed
        }
        #expect(try resource(Entity.self, relationships).one == .member(Related(7)))
        let other = relationships.replacing(#""members", "id": "7""#, with: #""robots", "id": "7""#)
        let unknown = UnknownRelation(type: "robots", id: "7")
        #expect(try resource(Entity.self, other).one == .other(unknown))
        let wrong = relationships.replacing(
            #""members", "id": "7""#,
            with: #""entities", "id": "7""#
        )
        let error = try #require(throws: DecodingError.self) {
            try resource(Entity.self, wrong)
        }
        let description = try #require(error.context?.debugDescription)
        #expect(description.contains("Entity: the member \"one\" of the resource \"entities\""))
        #expect(description.contains("Member"))
    }
}
