import FlatCache
import FlatCacheFoundation
import Foundation
import Testing

/// Types of primary data that don't ask for each resource by the type of its entity.
struct PrimaryDataTests {
    typealias Article = Blog.Article
    typealias Person = Blog.Person

    private struct Row: Decodable {
        private enum Key: CodingKey { case title }

        let title: String

        init(from decoder: any Decoder) throws {
            title = try decoder.container(keyedBy: Key.self).decode(String.self, forKey: .title)
        }
    }

    private struct Nothing: Decodable {}

    private enum Hit: Decodable {
        private enum Key: CodingKey { case type }

        case article(Article), person(Person)

        init(from decoder: any Decoder) throws {
            let type = try decoder.container(keyedBy: Key.self).decode(String.self, forKey: .type)
            self =
                type == "articles"
                ? .article(try Article(from: decoder)) : .person(try Person(from: decoder))
        }
    }

    /// An article, or a value of another type.
    private struct Guess: Decodable {
        let article: Article?

        init(from decoder: any Decoder) throws {
            article = try? decoder.singleValueContainer().decode(Article.self)
        }
    }

    /// The first article of a list.
    private struct First: Decodable {
        let article: Article

        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            article = try list.decode(Article.self)
        }
    }

    /// The articles of a list, without malformed ones.
    private struct Lossy: Decodable {
        var articles: [Article] = []

        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            while !list.isAtEnd {
                if let article = try? list.decode(Article.self) {
                    articles.append(article)
                } else {
                    _ = try list.decode(Nothing.self)
                }
            }
        }
    }

    let cache = Cache()

    private func ingest<Primary: Decodable>(
        _ type: Primary.Type,
        _ resources: String...
    ) throws -> JSONAPIDocument<Primary> {
        try cache.ingest(
            JSONAPIDocument<Primary>.self,
            from: data(#"{"data": [\#(resources.joined(separator: ", "))]}"#),
            types: Blog.types
        )
    }

    private let article = #"{"type": "articles", "id": "1", "attributes": {"title": "A"}}"#
    private let second = #"{"type": "articles", "id": "2", "attributes": {"title": "B"}}"#
    private let malformed = #"{"type": "articles", "id": "3", "attributes": {"title": 7}}"#
    private let person = #"{"type": "people", "id": "9", "attributes": {"firstName": "C"}}"#
    private let bare = #"{"type": "people", "id": "8"}"#
    private let unlisted = #"{"type": "ads", "id": "1", "attributes": {}}"#

    private var storedArticles: [Int] { cache.ids(of: Article.self).sorted() }

    // MARK: Storing

    @Test func storesTheResourcesThatATypeDecodesByItself() throws {
        let document = try ingest([Hit].self, article, person, bare)
        #expect(document.data.count == 3)
        #expect(cache[Article.self, 1]?.title == "A")
        #expect(cache.ids(of: Person.self) == [9])
        #expect(cache.version == 1)
    }

    @Test func storesTheResourcesOfPlainValues() throws {
        #expect(try ingest([Row].self, article, unlisted, second).data.map(\.title) == ["A", "B"])
        #expect(storedArticles == [1, 2])
        let other = Cache()
        try other.ingest(
            JSONAPIDocument<Row>.self,
            from: data(#"{"data": \#(article)}"#),
            types: Blog.types
        )
        #expect(other[Article.self, 1]?.title == "A")
    }

    @Test func storesTheResourcesThatATypeDoesNotRead() throws {
        #expect(try ingest(First.self, article, second, person).data.article.id == 1)
        #expect(storedArticles == [1, 2])
        #expect(cache.ids(of: Person.self) == [9])
        #expect(try ingest([Nothing].self, malformed.replacing("7", with: "\"D\"")).data.count == 1)
        #expect(storedArticles == [1, 2, 3])
    }

    @Test func storesResourcesThatAreNotOfTheFirstTypeThatIsTried() throws {
        #expect(try ingest([Guess].self, article, person).data.map(\.article?.id) == [1, nil])
        #expect(storedArticles == [1])
        #expect(cache.ids(of: Person.self) == [9])
    }

    @Test func storesTheResourcesOfPlainValuesInOrder() throws {
        let newer = article.replacing("\"A\"", with: "\"newer\"")
        _ = try ingest([Row].self, article, newer)
        #expect(cache[Article.self, 1]?.title == "newer")
    }

    @Test func doesNotStoreDroppedElements() throws {
        let rows = try ingest(ValidElements<Row>.self, article, malformed).data
        #expect(rows.map(\.title) == ["A"])
        #expect(storedArticles == [1])
        let hits = try ingest(ValidElements<Hit>.self, second, malformed).data
        #expect(hits.count == 1)
        #expect(storedArticles == [1, 2])
        let references = try ingest(ValidElements<Related<Article>>.self, person, second).data
        #expect(references.problems.map(\.index) == [0])
        #expect(cache.count(of: Person.self) == 0)
        #expect(try ingest([Guess].self, malformed).data.map(\.article?.id) == [nil])
        #expect(try ingest(Lossy.self, malformed, article).data.articles.map(\.id) == [1])
        #expect(storedArticles == [1, 2])
    }

    @Test func malformedResourceThatATypeDoesNotReadIsAnError() {
        #expect(throws: DecodingError.self) { try ingest(First.self, article, malformed) }
        #expect(throws: DecodingError.self) { try ingest([Nothing].self, malformed) }
        #expect(cache.version == 0)
    }

    @Test func errorOfAPlainValueNamesTheResourceOnce() throws {
        let prefix =
            "Article: the member \"title\" of the resource \"articles\" with the id \"3\": "
        func description<Primary: Decodable>(_ type: Primary.Type) throws -> String {
            let error = try #require(throws: DecodingError.self) {
                try ingest(type, malformed)
            }
            return try #require(error.context?.debugDescription)
        }
        for text in [
            try description([Row].self), try description([Hit].self),
            try description([Article].self), try description([Article?].self),
        ] {
            #expect(text.hasPrefix(prefix))
            #expect(!text.dropFirst(prefix.count).contains("articles"))
        }
        #expect(cache.version == 0)
    }

    // MARK: Resources without an identifier

    @Test(
        "A resource without an identifier is a malformed element",
        arguments: [
            "null", "7", "[]", #"{"id": "7"}"#, #"{"type": "articles", "id": 7}"#,
            #"{"type": "articles"}"#, #"{"type": 7, "id": "7"}"#,
        ]
    )
    func withoutIdentifier(resource: String) throws {
        #expect(throws: DecodingError.self) { try ingest([Article].self, article, resource) }
        #expect(throws: DecodingError.self) { try ingest([Nothing].self, article, resource) }
        #expect(throws: DecodingError.self) { try ingest(First.self, article, resource) }
        #expect(cache.version == 0)
        let references = try ingest(
            ValidElements<Related<Article>>.self,
            article,
            resource,
            second
        ).data
        #expect(references.map(\.id) == [1, 2])
        #expect(references.problems.map(\.index) == [1])
        #expect(storedArticles == [1, 2])
        let rows = try ingest(ValidElements<Row>.self, resource, article).data
        #expect(rows.problems.map(\.index) == [0])
        #expect(try ingest(Lossy.self, resource, article).data.articles.map(\.id) == [1])
    }

    @Test func resourcesOfUnlistedTypesNeedNoIdentifier() throws {
        let document = try ingest([Article].self, #"{"type": "ads", "id": 7}"#, article)
        #expect(document.data.map(\.id) == [1])
        #expect(document.skippedCounts == ["ads": 1])
    }

    // MARK: Indices

    @Test func problemsCountTheSkippedResources() throws {
        let elements = try ingest(
            ValidElements<Article>.self,
            unlisted,
            unlisted,
            malformed,
            unlisted,
            article,
            malformed,
            unlisted
        ).data
        #expect(elements.map(\.id) == [1])
        #expect(elements.problems.map(\.index) == [2, 5])
        for problem in elements.problems {
            let path = problem.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }
            #expect(path == ["data", "\(problem.index)"])
            let context = try #require((problem.error as? DecodingError)?.context)
            #expect(context.codingPath.dropFirst().first?.intValue == problem.index)
        }
    }
}
