import FlatCache
import FlatCacheFoundation
import Foundation
import TestSupport
import Testing

/// Random JSON:API documents, ingested into a cache and normalized by a naive reference.
struct JSONAPIOracleTests {
    private let settings = RandomTestSettings(seeds: 60, steps: 6)

    @Test("Ingesting random documents stores the entities of a naive normalizer")
    func randomDocuments() {
        let events = EventCounts()
        settings.forEachSeed { seed in
            var generator = JSONAPIGenerator(seed: seed)
            let cache = Cache()
            // The primary data decides how it reads a resource, not whether it is stored.
            let plainCache = Cache()
            var reference = JSONAPIReference()
            for step in 1...settings.steps {
                let text = generator.document()
                let expected = try? reference.add(text)
                let document = try? cache.ingest(
                    JSONAPIDocument<[Related<Blog.Article>]>.self,
                    from: data(text),
                    types: Blog.types
                )
                let plainDocument = try? plainCache.ingest(
                    JSONAPIDocument<[Plain]>.self,
                    from: data(text),
                    types: Blog.types
                )
                events.add(document == nil ? "invalid" : "valid")
                let problem: String? =
                    if document?.data.map(\.id) != expected?.articles {
                        "The references are \(String(describing: document?.data))."
                    } else if document?.skippedCounts != expected?.skippedCounts {
                        "The counts are \(String(describing: document?.skippedCounts))."
                    } else if plainDocument?.skippedCounts != expected?.skippedCounts {
                        "The plain counts are \(String(describing: plainDocument?.skippedCounts))."
                    } else if let problem = reference.difference(from: plainCache) {
                        "Read as plain values: \(problem)"
                    } else {
                        reference.difference(from: cache)
                    }
                if let problem {
                    return FailureReport(
                        seed: seed,
                        step: step,
                        operations: [text],
                        problem: problem
                    )
                }
            }
            return nil
        }
        if settings.seeds.count >= 60 {
            #expect(events.rare(among: ["valid", "invalid"]) == [])
        }
    }
}

/// A value that reads the type of each second resource, and nothing of the others.
private struct Plain: Decodable {
    private enum Key: CodingKey { case type }

    init(from decoder: any Decoder) throws {
        if (decoder.codingPath.last?.intValue ?? 0).isMultiple(of: 2) { return }
        _ = try decoder.container(keyedBy: Key.self).decode(String.self, forKey: .type)
    }
}

/// A generator of documents whose primary data are articles.
private struct JSONAPIGenerator {
    private var random: SplitMix64

    init(seed: Seed) { random = SplitMix64(seed: seed) }

    mutating func document() -> String {
        let mistake = random.oneIn(3)
        var primary = (0..<random.below(4)).map { _ in
            random.oneIn(5)
                ? widget() : random.oneIn(6) ? #"{"type": "articles", "id": "1"}"# : article()
        }
        var included = (0..<random.below(5)).map { _ in
            switch random.below(5) {
            case 0: widget()
            case 1: article()
            case 2: comment()
            default: person()
            }
        }
        if mistake {
            if random.oneIn(2) { primary.append(malformed()) } else { included.append(malformed()) }
        }
        let data = "\"data\": [\(primary.joined(separator: ", "))]"
        let others = "\"included\": [\(included.joined(separator: ", "))]"
        let members = random.oneIn(2) ? [data, others] : [others, data]
        return "{\(members.joined(separator: ", "))}"
    }

    private mutating func widget() -> String {
        #"{"type": "\#(random.pick(["widgets", "robots"]))", "id": "\#(random.below(3))"}"#
    }

    private mutating func resource(
        _ type: String,
        _ id: String,
        _ attributes: [String],
        _ relationships: [String]
    ) -> String {
        var members = ["\"type\": \"\(type)\"", "\"id\": \"\(id)\""]
        if !attributes.isEmpty || random.oneIn(2) {
            members.append("\"attributes\": {\(attributes.joined(separator: ", "))}")
        }
        if !relationships.isEmpty || random.oneIn(3) {
            members.append("\"relationships\": {\(relationships.joined(separator: ", "))}")
        }
        members.shuffle(using: &random)
        return "{\(members.joined(separator: ", "))}"
    }

    private mutating func article() -> String {
        var attributes = ["\"title\": \"T\(random.below(9))\""]
        if random.oneIn(2) { attributes.append("\"year\": \(random.pick(["null", "1", "2"]))") }
        var relationships: [String] = []
        if random.oneIn(2) { relationships.append(toOne("author", ["people"])) }
        if random.oneIn(2) { relationships.append(toMany("comments", "comments")) }
        if random.oneIn(2) { relationships.append(toOne("owner", ["people", "robots"])) }
        return resource("articles", "\(random.below(5))", attributes, relationships)
    }

    private mutating func person() -> String {
        let attributes = random.oneIn(3) ? [] : ["\"firstName\": \"N\(random.below(9))\""]
        return resource("people", "\(random.below(5))", attributes, [])
    }

    private mutating func comment() -> String {
        var relationships: [String] = []
        if random.oneIn(2) { relationships.append(toOne("author", ["people"])) }
        if random.oneIn(2) { relationships.append(toMany("mentions", "people")) }
        return resource(
            "comments",
            "c\(random.below(5))",
            ["\"body\": \"B\(random.below(9))\""],
            relationships
        )
    }

    private mutating func toOne(_ name: String, _ types: [String]) -> String {
        switch random.below(4) {
        case 0: "\"\(name)\": {\"data\": null}"
        case 1: "\"\(name)\": {\"links\": {\"related\": \"/x\"}}"
        default: "\"\(name)\": {\"data\": \(identifier(random.pick(types)))}"
        }
    }

    private mutating func toMany(_ name: String, _ type: String) -> String {
        let identifiers = (0..<random.below(4)).map { _ in identifier(type) }
        return "\"\(name)\": {\"data\": [\(identifiers.joined(separator: ", "))], \"meta\": {}}"
    }

    private mutating func identifier(_ type: String) -> String {
        let id = type == "comments" ? "c\(random.below(5))" : "\(random.below(5))"
        return "{\"type\": \"\(type)\", \"id\": \"\(id)\"}"
    }

    private mutating func malformed() -> String {
        random.pick([
            #"{"type": "articles", "id": "1", "attributes": {"title": null}}"#,
            #"{"type": "articles", "id": "x", "attributes": {"title": "A"}}"#,
            #"{"type": "comments", "attributes": {"body": "A"}}"#,
            #"{"id": "1"}"#, "null",
            """
            {"type": "articles", "id": "1", "attributes": {"title": "A"},
            "relationships": {"author": {"data": {"type": "comments", "id": "1"}}}}
            """,
        ])
    }
}
