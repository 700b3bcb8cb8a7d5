import FlatCache
import Foundation

/// A naive normalizer of documents whose primary data are articles.
///
/// It reads property lists, and stores values in dictionaries.
struct JSONAPIReference {
    struct Malformed: Error {}

    struct Document {
        var articles: [Int] = []
        var skippedCounts: [String: Int] = [:]
    }

    private typealias Members = [String: Any]

    private var articles: [Int: Blog.Article] = [:]
    private var people: [Int: Blog.Person] = [:]
    private var comments: [String: Blog.Comment] = [:]

    /// Stores the resources of a document, or nothing if it's malformed.
    mutating func add(_ text: String) throws -> Document {
        var copy = self
        let document = try copy.store(text)
        self = copy
        return document
    }

    private mutating func store(_ text: String) throws -> Document {
        let root = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? Members ?? [:]
        var document = Document()
        for resource in root["data"] as? [Any] ?? [] {
            guard let members = resource as? Members else { throw Malformed() }
            let isBare = members["attributes"] == nil && members["relationships"] == nil
            let type = members["type"] as? String
            if type == "articles" {
                document.articles.append(try Self.number(members))
                if isBare { continue }
            }
            if let type, ["people", "comments"].contains(type) { throw Malformed() }
            try add(resource, &document)
        }
        for resource in root["included"] as? [Any] ?? [] { try add(resource, &document) }
        return document
    }

    private mutating func add(_ resource: Any, _ document: inout Document) throws {
        guard let members = resource as? Members, let type = members["type"] as? String,
            let id = members["id"] as? String
        else { throw Malformed() }
        let attributes = members["attributes"] as? Members ?? [:]
        let relationships = members["relationships"] as? [String: Members] ?? [:]
        switch type {
        case "articles":
            let id = try Self.number(members)
            guard let title = attributes["title"] as? String else { throw Malformed() }
            var article = articles[id] ?? Blog.Article(id: id, title: title)
            article.title = title
            if let year = attributes["year"] { article.year = year as? Int }
            if let author = relationships["author"]?["data"] as? Members {
                guard author["type"] as? String == "people" else { throw Malformed() }
                article.author = Related(Blog.Person.ID(rawValue: try Self.number(author)))
            }
            if let list = relationships["comments"]?["data"] as? [Members] {
                article.comments = list.map { Related($0["id"] as? String ?? "") }
            }
            if let owner = relationships["owner"]?["data"] as? Members {
                article.owner =
                    owner["type"] as? String == "people"
                    ? .person(Related(Blog.Person.ID(rawValue: try Self.number(owner))))
                    : .other(UnknownRelation(type: "robots", id: owner["id"] as? String))
            }
            articles[id] = article
        case "people":
            let id = try Self.number(members)
            people[id] = Blog.Person(
                id: Blog.Person.ID(rawValue: id),
                firstName: attributes["firstName"] as? String
            )
        case "comments":
            guard let body = attributes["body"] as? String else { throw Malformed() }
            var comment = Blog.Comment(id: id, body: body)
            switch relationships["author"]?["data"] {
            case let author as Members:
                comment.author = Related(Blog.Person.ID(rawValue: try Self.number(author)))
            case is NSNull: comment.author = nil
            default: break
            }
            if let list = relationships["mentions"]?["data"] as? [Members] {
                comment.mentions = Set(
                    try list.map { Related(Blog.Person.ID(rawValue: try Self.number($0))) }
                )
            }
            comments[id] = comment
        default: document.skippedCounts[type, default: 0] += 1
        }
    }

    private static func number(_ members: Members) throws -> Int {
        guard let number = Int(members["id"] as? String ?? "") else { throw Malformed() }
        return number
    }

    /// Returns a description of the first type whose values in a cache differ, or `nil`.
    func difference(from cache: Cache) -> String? {
        func values<Value: CacheEntity>(_ type: Value.Type) -> [Value.ID: Value] {
            Dictionary(uniqueKeysWithValues: cache.values(of: type).map { ($0.id, $0) })
        }
        if values(Blog.Article.self) != articles { return "The articles aren't \(articles)." }
        let people = Dictionary(uniqueKeysWithValues: people.values.map { ($0.id, $0) })
        if values(Blog.Person.self) != people { return "The people aren't \(people)." }
        if values(Blog.Comment.self) != comments { return "The comments aren't \(comments)." }
        return nil
    }
}
