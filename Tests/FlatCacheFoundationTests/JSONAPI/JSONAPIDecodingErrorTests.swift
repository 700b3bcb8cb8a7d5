import FlatCache
import FlatCacheFoundation
import Foundation
import TestSupport
import Testing

struct JSONAPIDecodingErrorTests {
    let cache = Cache()

    private func error(_ text: String) throws -> DecodingError.Context {
        let error = try #require(throws: DecodingError.self) {
            try cache.ingest(
                JSONAPIDocument<[Blog.Article]>.self,
                from: data(text),
                types: Blog.types
            )
        }
        #expect(cache.version == 0)
        return try #require(error.context)
    }

    private func path(_ context: DecodingError.Context) -> String {
        context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }
            .joined(separator: ".")
    }

    @Test(
        "An error names the type, the resource and the member",
        arguments: [
            (#""id": "1", "attributes": {"title": 7}"#, "title", "attributes.title"),
            (#""id": "1", "attributes": {}"#, "title", ""),
            (#""id": "1", "attributes": []"#, "attributes", "attributes"),
            (#""id": "x1", "attributes": {"title": "A"}"#, "id", "id"),
            (#""id": "01", "attributes": {"title": "A"}"#, "id", "id"),
            (
                #""id": "1", "attributes": {"title": "A"}, "relationships": {"author": 7}"#,
                "author", "relationships.author"
            ),
            (
                """
                "id": "1", "attributes": {"title": "A"},
                "relationships": {"author": {"data": {"type": "people"}}}
                """,
                "author", "relationships.author.data"
            ),
            (
                """
                "id": "1", "attributes": {"title": "A"},
                "relationships": {"author": {"data": {"type": "people", "id": "x"}}}
                """,
                "author", "relationships.author.data.id"
            ),
            (
                """
                "id": "1", "attributes": {"title": "A"},
                "relationships": {"author": {"data": {"type": "comments", "id": "1"}}}
                """,
                "author", "relationships.author.data"
            ),
            (
                """
                "id": "1", "attributes": {"title": "A"},
                "relationships": {"author": {"data": []}}
                """,
                "author", "relationships.author.data"
            ),
            (
                """
                "id": "1", "attributes": {"title": "A"},
                "relationships": {"comments": {"data": {"type": "comments", "id": "1"}}}
                """,
                "comments", "relationships.comments.data"
            ),
            (
                """
                "id": "1", "attributes": {"title": "A"},
                "relationships": {"comments": {"data": [{"type": "people", "id": "1"}]}}
                """,
                "comments", "relationships.comments.data.0"
            ),
        ]
    )
    func members(resource: String, member: String, path: String) throws {
        let context = try error(
            """
            {"data": [
                {"type": "articles", "id": "0", "attributes": {"title": "A"}},
                {"type": "articles", \(resource)}
            ]}
            """
        )
        let description = context.debugDescription
        #expect(description.hasPrefix("Article: the member \"\(member)\" of the resource"))
        #expect(description.contains("\"articles\""))
        let expected = path.isEmpty ? "data.1" : "data.1.\(path)"
        #expect(self.path(context) == expected)
    }

    @Test func errorInAnIncludedResourceStoresNothing() throws {
        let context = try error(
            """
            {"data": [{"type": "articles", "id": "1", "attributes": {"title": "A"}}],
            "included": [{"type": "comments", "id": "5", "attributes": {"body": null}}]}
            """
        )
        let prefix = "Comment: the member \"body\" of the resource \"comments\" with the id \"5\""
        #expect(context.debugDescription.hasPrefix(prefix))
        #expect(path(context) == "included.0.attributes.body")
    }

    @Test(
        "A document of another shape is an error",
        arguments: [
            ("{", ""), ("[]", ""), ("7", ""), ("{}", ""), (#"{"data": 7}"#, "data"),
            (#"{"data": null}"#, "data"), (#"{"data": [7]}"#, "data.0"),
            (#"{"data": [{"id": "1"}]}"#, "data.0"),
            (#"{"data": [{"type": 1, "id": "1"}]}"#, "data.0.type"),
            (#"{"data": [{"type": "articles"}]}"#, "data.0"),
            (#"{"data": [{"type": "articles", "id": 1}]}"#, "data.0.id"),
            (#"{"data": [{"type": "people", "id": "1"}]}"#, "data.0"),
            (#"{"data": {"type": "articles", "id": "1"}}"#, "data"),
            (#"{"data": [], "included": {}}"#, "included"),
            (#"{"data": [], "links": {"next": 7}}"#, "links.next"),
        ]
    )
    func documents(text: String, path: String) throws {
        let context = try error(text)
        #expect(self.path(context) == path)
    }

    @Test func errorsInPlaceOfDataAreThrown() throws {
        let text = """
            {"errors": [
                {"status": "422", "code": "c", "title": "Invalid", "detail": "Too short",
                    "source": {"pointer": "/data/attributes/title"}, "meta": {}, "links": {}},
                {}
            ]}
            """
        let error = try #require(throws: JSONAPIErrors.self) {
            try cache.ingest(
                JSONAPIDocument<Blog.Article>.self,
                from: data(text),
                types: Blog.types
            )
        }
        #expect(error.errors.count == 2)
        #expect(error.errors[0].status == "422")
        #expect(error.errors[0].source?.pointer == "/data/attributes/title")
        #expect(error.errors[1].status == nil)
        #expect("\(error)".contains("422, c, Invalid, Too short, at /data/attributes/title; "))
    }

    @Test(
        "The status and the code of an error can be numbers",
        arguments: [("404", "404"), ("\"404\"", "404"), ("12.5", "12.5"), ("null", nil)]
    )
    func lenientErrors(text: String, value: String?) throws {
        let error = try #require(throws: JSONAPIErrors.self) {
            try cache.ingest(
                JSONAPIDocument<Blog.Article>.self,
                from: data(#"{"errors": [{"status": \#(text), "code": \#(text), "title": "A"}]}"#),
                types: Blog.types
            )
        }
        #expect(error.errors.map(\.status) == [value])
        #expect(error.errors.map(\.code) == [value])
        #expect(error.errors.map(\.title) == ["A"])
    }

    @Test func emptyListOfErrorsCountsAsAbsent() throws {
        let document = try cache.ingest(
            JSONAPIDocument<Blog.Person>.self,
            from: data(#"{"errors": [], "data": {"type": "people", "id": "1"}}"#),
            types: Blog.types
        )
        #expect(document.data.id == 1)
        #expect(throws: DecodingError.self) {
            try cache.ingest(
                JSONAPIDocument<Blog.Person>.self,
                from: data(#"{"errors": []}"#),
                types: Blog.types
            )
        }
    }

    @Test func typeNameThatOccursTwiceTraps() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            _ = ["a": Blog.Article.self, "a": Blog.Person.self] as JSONAPITypes
        }
        let message = try #require(result?.message)
        #expect(message.contains("Article and Person have the same name \"a\""))
    }
}

// MARK: Descriptions

extension JSONAPIDecodingErrorTests {
    private struct Refusal: Error, Equatable {}

    private struct Picky: CacheEntity, Decodable {
        let id: Int

        init(from decoder: any Decoder) throws { throw Refusal() }
    }

    @Test func errorOfAModelNamesTheResource() throws {
        for members in [
            #""data": \#(picky)"#,
            #""data": {"type": "people", "id": "1"}, "included": [\#(picky)]"#,
        ] {
            let error = try #require(throws: DecodingError.self) {
                try cache.ingest(
                    JSONAPIDocument<Related<Picky>?>.self,
                    from: data("{\(members)}"),
                    types: ["picky": Picky.self]
                )
            }
            let context = try #require(error.context)
            #expect(context.underlyingError as? Refusal == Refusal())
            let prefix = "Picky: the resource \"picky\" with the id \"5\": "
            #expect(context.debugDescription.hasPrefix(prefix))
            #expect(["data", "included.0"].contains(path(context)))
        }
    }

    private var picky: String { #"{"type": "picky", "id": "5", "attributes": {}}"# }

    @Test func errorAboutTheTypeNamesTheResource() throws {
        let unlisted = try description(of: #"{"type": "widgets", "id": "5"}"#)
        #expect(unlisted.contains("the resource \"widgets\" with the id \"5\""))
        #expect(try description(of: #"{"type": "widgets"}"#).contains("\"widgets\""))
        let wrong = try description(of: #"{"type": "people", "id": "5", "attributes": {}}"#)
        #expect(wrong.contains("the resource \"people\" with the id \"5\""))
        #expect(wrong.contains("Person, not Article"))
    }

    private func description(of resource: String) throws -> String {
        let error = try #require(throws: DecodingError.self) {
            try cache.ingest(
                JSONAPIDocument<Blog.Article>.self,
                from: data(#"{"data": \#(resource)}"#),
                types: Blog.types
            )
        }
        return try #require(error.context?.debugDescription)
    }
}
