import FlatCache
import FlatCacheFoundation
import Foundation
import Testing

struct CacheIngestingJSONAPITests {
    typealias Article = Blog.Article
    typealias Comment = Blog.Comment
    typealias Person = Blog.Person
    typealias Team = Blog.Team

    private struct Refusal: Error {}

    let cache = Cache()

    func ingest<Primary: Decodable>(
        _ type: Primary.Type,
        _ text: String
    ) throws -> JSONAPIDocument<Primary> {
        try cache.ingest(JSONAPIDocument<Primary>.self, from: data(text), types: Blog.types)
    }

    let compound = """
        {
            "jsonapi": {"version": "1.1"},
            "links": {
                "self": "/articles", "next": {"href": "/articles?page=2", "meta": {}}, "prev": null
            },
            "meta": {"total": 1},
            "data": [{
                "type": "articles", "id": "1",
                "attributes": {"title": "A", "year": null},
                "relationships": {
                    "author": {"data": {"type": "people", "id": "9"}, "links": {"self": "/a"}},
                    "comments": {"data": [
                        {"type": "comments", "id": "5"}, {"type": "comments", "id": "x"}
                    ]},
                    "owner": {"data": {"type": "teams", "id": "\(Blog.team)"}}
                },
                "links": {"self": "/articles/1"}, "meta": {}
            }],
            "included": [
                {"type": "people", "id": "9", "attributes": {"firstName": "B", "extra": [1]}},
                {"type": "comments", "id": "5", "attributes": {"body": "C"},
                    "relationships": {
                        "author": {"data": null},
                        "mentions": {"data": [{"type": "people", "id": "9"}]}
                    }},
                {"type": "widgets", "id": "1", "attributes": {}},
                {"type": "comments", "id": "x", "attributes": {"body": "D"}},
                {"type": "widgets", "id": "2"},
                {"type": "teams", "id": "\(Blog.team)", "relationships": {"members": {"data": [
                    {"type": "people", "id": "9"}, {"type": "robots", "id": "3"}
                ]}}}
            ]
        }
        """

    @Test func storesTheResourcesOfADocumentInOneCommit() throws {
        let document = try ingest([Article].self, compound)
        #expect(cache.version == 1)
        #expect(document.links == ["self": "/articles", "next": "/articles?page=2"])
        #expect(document.skippedCounts == ["widgets": 2])

        let article = try #require(cache[Article.self, 1])
        #expect(document.data == [article])
        #expect(article.title == "A")
        #expect(article.$year == .null)
        #expect(article.author == Related(9))
        #expect(article.comments == [Related("5"), Related("x")])
        let team = try #require(UUID(uuidString: Blog.team))
        #expect(article.owner == .team(Related(team)))
        #expect(cache[Person.self, 9]?.firstName == "B")
        let comment = try #require(cache[Comment.self, "5"])
        #expect(comment.$author == .null)
        #expect(comment.mentions == [Related(9)])
        #expect(cache[Comment.self, "x"]?.$author == .unknown)
        let members: [Blog.OwnerRef] = [
            .person(Related(9)), .other(UnknownRelation(type: "robots", id: "3")),
        ]
        #expect(cache[Team.self, team] == Team(id: team, type: "teams", members: members))
    }

    @Test func appliesFurtherWritesInTheSameCommit() throws {
        try cache.ingest(
            JSONAPIDocument<[Related<Article>]>.self,
            from: data(compound),
            types: Blog.types
        ) { batch, document in
            #expect(batch.get(Person.self, id: 9) != nil)
            try batch.list("articles", of: Article.self)
                .merge(document.data, after: nil, next: document.links["next"])
        }
        #expect(cache.list("articles", of: Article.self).next == .after("/articles?page=2"))
        #expect(cache.version == 1)
        #expect(throws: Refusal.self) {
            try cache.ingest(
                JSONAPIDocument<[Article]>.self,
                from: data(compound.replacing("\"A\"", with: "\"changed\"")),
                types: Blog.types
            ) { _, _ in
                throw Refusal()
            }
        }
        #expect(cache.version == 1)
    }

    let one = #"{"data": {"type": "people", "id": "1", "attributes": {"firstName": "A"}}}"#

    @Test func readsOneResource() throws {
        #expect(try ingest(Person.self, one).data == Person(id: 1, firstName: "A"))
        #expect(try ingest(Person?.self, one).data?.id == 1)
        #expect(try ingest(Related<Person>.self, one).data == Related(1))
        #expect(try ingest(Blog.OwnerRef.self, one).data == .person(Related(1)))
        #expect(cache[Person.self, 1]?.firstName == "A")
    }

    @Test func readsNullAndEmptyData() throws {
        #expect(try ingest(Person?.self, #"{"data": null}"#).data == nil)
        #expect(try ingest([Person].self, #"{"data": []}"#).data == [])
        #expect(cache.version == 0)
    }

    @Test func readsResourcesOfSeveralTypes() throws {
        let document = try ingest(
            [Blog.OwnerRef].self,
            """
            {"data": [
                {"type": "people", "id": "1", "attributes": {"firstName": "A"}},
                {"type": "widgets", "id": "1"},
                {"type": "teams", "id": "\(Blog.team)", "attributes": {}}
            ]}
            """
        )
        let team = try #require(UUID(uuidString: Blog.team))
        #expect(document.data == [.person(Related(1)), .team(Related(team))])
        #expect(document.skippedCounts == ["widgets": 1])
        #expect(cache[Person.self, 1]?.firstName == "A")
        #expect(cache[Team.self, team]?.type == "teams")
    }

    @Test func readsDataOfAnUnlistedType() throws {
        let text = #"{"data": {"type": "widgets", "id": "1"}}"#
        let document = try ingest(Person?.self, text)
        #expect(document.data == nil)
        #expect(document.skippedCounts == ["widgets": 1])
        #expect(throws: DecodingError.self) { try ingest(Person.self, text) }
    }

    @Test func storesNothingOfBareIdentifiers() throws {
        cache.set(Person(id: 1, firstName: "A"))
        let text = #"{"data": [{"type": "people", "id": "1"}, {"type": "people", "id": "2"}]}"#
        #expect(try ingest([Related<Person>].self, text).data == [Related(1), Related(2)])
        #expect(cache[Person.self, 1]?.firstName == "A")
        #expect(cache.count(of: Person.self) == 1)
    }

    @Test func dropsMalformedResourcesOfValidElements() throws {
        let document = try ingest(
            ValidElements<Related<Comment>>.self,
            """
            {"data": [
                {"type": "comments", "id": "1", "attributes": {"body": "A"}},
                {"type": "comments", "id": "2", "attributes": {"body": 7}},
                {"type": "comments", "id": "3", "attributes": {"body": "C"}}
            ]}
            """
        )
        #expect(document.data.map(\.id) == ["1", "3"])
        #expect(document.data.problems.map(\.index) == [1])
        #expect(cache.ids(of: Comment.self).sorted() == ["1", "3"])
    }

    @Test func storesAResourceThatOccursTwiceInOrder() throws {
        let text = """
            {"data": {"type": "articles", "id": "1", "attributes": {"title": "A", "year": 1}},
            "included": [{"type": "articles", "id": "1", "attributes": {"title": "B"}}]}
            """
        _ = try ingest(Article.self, text)
        #expect(cache[Article.self, 1]?.title == "B")
        #expect(cache[Article.self, 1]?.year == 1)
    }

    @Test func olderDocumentDoesNotReplaceANewerOne() throws {
        cache.set(Person(id: 1, firstName: "new"), modifiedAt: 2)
        try cache.ingest(
            JSONAPIDocument<Person>.self,
            from: data(one),
            types: Blog.types,
            modifiedAt: 1
        )
        #expect(cache[Person.self, 1]?.firstName == "new")
    }

    @Test func belongsToTheIngestAroundIt() throws {
        try cache.ingest {
            _ = try ingest([Article].self, compound)
            #expect(cache.version == 0)
        }
        #expect(cache.version == 1)
        #expect(cache.count(of: Comment.self) == 2)
    }
}
