import FlatCache
import FlatCacheFoundation
import Foundation
import TestSupport
import Testing

extension CacheIngestingJSONAPITests {
    @Test func relationshipWithoutDataIsAnAbsentKey() throws {
        let text = """
            {"data": {"type": "articles", "id": "1", "attributes": {"title": "A"},
                "relationships": {
                    "author": {"links": {"related": "/author"}}, "comments": {"meta": {}}
                }}}
            """
        cache.set(Article(id: 1, title: "old", author: Related(3), comments: [Related("4")]))
        let document = try ingest(Article.self, text)
        #expect(document.data.author == nil)
        #expect(document.data.comments == nil)
        #expect(document.data.$year == .unknown)
        #expect(cache[Article.self, 1]?.author == Related(3))
        #expect(cache[Article.self, 1]?.title == "A")
    }

    @Test func nullAndEmptyRelationshipsHaveNoElements() throws {
        let text = """
            {"data": {"type": "articles", "id": "1", "attributes": {"title": "A"},
                "relationships": {
                    "author": {"data": null}, "comments": {"data": []}, "owner": {"data": null}
                }}}
            """
        let article = try ingest(Article.self, text).data
        #expect(article.author == nil)
        #expect(article.comments == [])
        #expect(article.owner == nil)
    }

    @Test func attributesCanEmbedEntitiesAndReferences() throws {
        struct Post: CacheEntity, Decodable {
            let id: Int
            var editor: Related<Person>
            var reviewers: [Related<Person>]
            var author: Related<Person>
        }
        let document = try cache.ingest(
            JSONAPIDocument<[Post]>.self,
            from: data(
                """
                {"data": [{"type": "posts", "id": "1",
                    "attributes": {
                        "editor": {"id": 1, "firstName": "A"},
                        "reviewers": [{"id": 2, "firstName": "B"}, 3]
                    },
                    "relationships": {"author": {"data": {"type": "people", "id": "1"}}}
                }]}
                """
            ),
            types: ["posts": Post.self, "people": Person.self]
        )
        #expect(document.data[0].editor == Related(1))
        #expect(document.data[0].author == Related(1))
        #expect(cache[Person.self, 1]?.firstName == "A")
        #expect(cache[Person.self, 2]?.firstName == "B")
        #expect(cache.count(of: Person.self) == 2)
    }

    @Test func strategiesApplyToAttributesAndRelationships() throws {
        struct Post: CacheEntity, Decodable {
            let id: Int
            var publishedAt: Date
            var mainAuthor: Related<Person>
        }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.dateDecodingStrategy = .secondsSince1970
        let document = try cache.ingest(
            JSONAPIDocument<Post>.self,
            from: data(
                """
                {"data": {"type": "posts", "id": "1", "attributes": {"published_at": 5},
                    "relationships": {"main_author": {"data": {"type": "people", "id": "7"}}}}}
                """
            ),
            types: ["posts": Post.self],
            decoder: decoder
        )
        #expect(document.data.publishedAt == Date(timeIntervalSince1970: 5))
        #expect(document.data.mainAuthor == Related(7))
    }

    @Test func plainPropertiesReadIdentifiers() throws {
        struct Post: CacheEntity, Decodable {
            let id: String
            var author: Int
            var editor: String?
            var comments: [Person.ID]
        }
        let document = try cache.ingest(
            JSONAPIDocument<Post>.self,
            from: data(
                """
                {"data": {"type": "posts", "id": "1", "relationships": {
                    "author": {"data": {"type": "people", "id": "7"}},
                    "editor": {"data": {"type": "people", "id": "8"}},
                    "comments": {"data": [{"type": "people", "id": "9"}]}
                }}}
                """
            ),
            types: ["posts": Post.self]
        )
        #expect(document.data.author == 7)
        #expect(document.data.editor == "8")
        #expect(document.data.comments == [9])
    }
}

// Relationships that are malformed or null, decoded by a strategy.
extension CacheIngestingJSONAPITests {
    @Test func relationStrategyDropsMalformedRelationships() throws {
        let text = """
            {"data": [{"type": "articles", "id": "1", "attributes": {"title": "A"},
                "relationships": {
                    "author": {"data": {"type": "people", "id": null}},
                    "comments": {"data": [
                        {"type": "comments", "id": "5"}, {"type": "people", "id": "9"},
                        {"type": "comments"}, null, {"type": "comments", "id": "6"}
                    ]},
                    "owner": {"data": [{"type": "people", "id": "3"}]}
                }}]}
            """
        #expect(throws: DecodingError.self) { try ingest([Article].self, text) }
        let problems = Recorder<String>()
        let strategy = RelationStrategy(dropsMalformed: true, nullIsUnknown: true) {
            problems.append($0.codingPath.map(\.stringValue).joined(separator: "/"))
        }
        let article = try strategy.decode { try ingest([Article].self, text) }.data[0]
        #expect(article.author == nil)
        #expect(article.comments == [Related("5"), Related("6")])
        #expect(article.owner == nil)
        #expect(cache[Article.self, 1] == article)
        #expect(
            problems.all == [
                "data/Index 0/author", "data/Index 0/relationships/comments/data/1",
                "data/Index 0/relationships/comments/data/2",
                "data/Index 0/relationships/comments/data/3", "data/Index 0/owner",
            ]
        )
    }
}
