import FlatCache
import Foundation
import TestSupport
import Testing

@testable import FlatCacheTestSupport

/// Malformed and null relations, decoded by a strategy.
struct RelationStrategyTests {
    private typealias City = Library.City
    private typealias Person = Library.Person
    private typealias Novel = Library.Novel
    private typealias Tag = Library.Tag

    private let cache = Cache()
    private let problems = Recorder<RelationStrategy.Problem>()

    /// The paths of the reported relations.
    private var paths: [String] {
        problems.all.map { "\($0)".split(separator: ":")[0] }.map { String($0) }
    }

    private func strategy(
        dropsMalformed: Bool = true,
        nullIsUnknown: Bool = true
    ) -> RelationStrategy {
        RelationStrategy(dropsMalformed: dropsMalformed, nullIsUnknown: nullIsUnknown) {
            [problems] in problems.append($0)
        }
    }

    private func ingest<Result: Decodable>(
        _ type: Result.Type,
        _ text: String,
        _ strategy: RelationStrategy? = nil
    ) throws -> Result {
        let strategy = strategy ?? self.strategy()
        return try cache.ingest { try strategy.decode { try decoded(type, text) } }
    }

    static let malformed = [
        "{}", #"{"id": null}"#, #"{"id": true}"#, "[]", "5.5", #"{"id": "a", "name": 1}"#,
        #"{"id": "a", "name": "A", "mayor": [1]}"#,
    ]

    // MARK: Malformed relations

    @Test("A malformed optional relation is nil", arguments: malformed.dropLast())
    func optionals(relation: String) throws {
        let person = try ingest(Person.self, #"{"id": 1, "name": "Ged", "home": \#(relation)}"#)
        #expect(person == Person(id: 1, name: "Ged"))
        #expect(cache[Person.self, 1] == person)
        #expect(cache.count(of: City.self) == 0)
        #expect(paths == ["home"])
        #expect(problems.all.first?.codingPath.map(\.stringValue) == ["home"])
        #expect(problems.all.first.map { "\($0)".hasPrefix("home: Related<City>") } == true)
    }

    @Test("A malformed Known relation is unknown, and a known link stays", arguments: malformed)
    func knownRelations(relation: String) throws {
        cache.set(Person(id: 1, birthplace: Related("gont")))
        let person = try ingest(
            Person.self,
            #"{"id": 1, "name": "Ged", "birthplace": \#(relation)}"#
        )
        if relation == Self.malformed.last {
            // The relation of the embedded entity is malformed, and the entity isn't.
            #expect(person.birthplace == Related("a"))
            #expect(paths == ["birthplace.mayor"])
        } else {
            #expect(!person.$birthplace.isKnown)
            #expect(cache[Person.self, 1]?.birthplace == Related("gont"))
            #expect(paths == ["birthplace"])
        }
    }

    @Test("Malformed elements of collections are dropped")
    func collections() throws {
        let novel = try ingest(
            Novel.self,
            #"""
            {
                "id": 1, "title": "Tehanu", "author": 7,
                "tags": ["a", {"id": null}, {"id": "b", "note": 1}, null, {"id": "c", "note": "C"}],
                "settings": ["gont", {}, {"id": "roke", "name": "Roke"}, {"id": "x", "name": null}],
                "readers": {"first_one": 1, "second_one": {}, "third": {"id": 3, "name": "Vetch"}},
                "subjects": [
                    {"type": "Person", "id": 4}, {"type": "City", "id": 5}, {"id": 6}, null,
                    {"type": "City", "id": "havnor", "name": "Havnor"}, {"type": "King", "id": 8}
                ]
            }
            """#
        )
        #expect(novel.tags == [Related("a"), Related("c")])
        #expect(novel.settings == [Related("gont"), Related("roke")])
        #expect(novel.readers == ["first_one": Related(1), "third": Related(3)])
        #expect(
            novel.subjects == [
                .person(Related(4)), .city(Related("havnor")),
                .other(UnknownRelation(type: "King", id: 8)),
            ]
        )
        #expect(
            paths == [
                "tags[1]", "tags[2]", "tags[3]", "settings[1]", "settings[3]", "readers.second_one",
                "subjects[1]", "subjects[2]", "subjects[3]",
            ]
        )
        #expect(Set(cache.ids(of: City.self)) == ["roke", "havnor"])
        #expect(cache.ids(of: Tag.self) == ["c"])
        #expect(cache.ids(of: Person.self) == [3])
    }

    @Test("An optional collection that isn't one is nil")
    func malformedCollections() throws {
        let novel = try ingest(
            Novel.self,
            #"""
            {"id": 1, "title": "A", "author": 7, "tags": [], "settings": 5, "readers": [],
            "subjects": {}}
            """#
        )
        #expect(novel.settings == nil && novel.readers == nil && novel.subjects == nil)
        #expect(paths == ["settings", "readers", "subjects"])
    }

    @Test("A malformed relation that the model requires is an error")
    func requiredRelations() throws {
        for text in [
            #"{"id": 1, "title": "A", "author": {"id": null}, "tags": []}"#,
            #"{"id": 1, "title": "A", "author": null, "tags": []}"#,
            #"{"id": 1, "title": "A", "author": 7, "tags": null}"#,
            #"{"id": 1, "title": "A", "author": 7, "tags": {}}"#,
        ] {
            #expect(throws: DecodingError.self) { try ingest(Novel.self, text) }
        }
        #expect(cache.version == 0)
    }

    @Test("An entity without a required relation is dropped at the nearest relation that allows it")
    func nestedEntities() throws {
        let bad = #""author": {}, "settings": [{"id": "a", "name": "A"}]"#
        let page = try ingest(
            Library.Page.self,
            #"""
            {
                "items": [
                    {"id": 1, "title": "A", \#(bad), "tags": [{"id": "x", "note": "X"}]},
                    {
                        "id": 2, "title": "B", "author": {"id": 7, "name": "Le Guin"}, "tags": [],
                        "sequel": {"id": 3, "title": "C", \#(bad), "tags": []}
                    }
                ],
                "featured": {"id": "gont", "name": "Gont", "mayor": {"id": 9, "home": {"id": 5}}}
            }
            """#
        )
        #expect(page.items == [Related(2)])
        #expect(page.featured == Related("gont"))
        #expect(Set(paths) == ["items[0]", "items[1].sequel", "featured.mayor.home"])
        #expect(cache[Novel.self, 2]?.sequel == nil)
        #expect(Set(cache.ids(of: City.self)) == ["gont"])
        #expect(Set(cache.ids(of: Person.self)) == [7, 9])
        #expect(cache.ids(of: Novel.self) == [2])
        #expect(cache.count(of: Tag.self) == 0)
    }

    @Test("The first element decides nothing about the shape of the others")
    func shapes() throws {
        struct Response: Decodable {
            var bare: [Related<Tag>]?
            var objects: [Related<City>]
            var last: Related<City>?
        }
        let response = try ingest(
            Response.self,
            #"""
            {"objects": [{"id": "a", "name": "A"}, {}, {"id": "b"}, "c", {"id": "d", "name": 1}],
            "bare": ["a", 1, "b"], "last": {"id": "e", "name": "E"}}
            """#
        )
        #expect(response.objects == [Related("a"), Related("b"), Related("c")])
        #expect(response.bare == [Related("a"), Related("b")])
        #expect(Set(cache.ids(of: City.self)) == ["a", "e"])
        #expect(Set(paths) == ["objects[1]", "objects[4]", "bare[1]"])
    }

    @Test("Relations to types that can't be decoded, and types of references, can be dropped")
    func otherReferences() throws {
        struct Note: CacheEntity { let id: Int }
        struct Credits: Codable, CachedReference {
            var author: Related<Person>

            func insertCacheKeys(into keys: inout Set<CacheKey>) { keys.insert(author.cacheKey) }
        }
        struct Response: Decodable {
            var note: Related<Note>?
            var notes: [Related<Note>]
            var credits: Credits?
            @Known var subject: Library.Subject?
            @Known var tags: [Related<Tag>]?
            var perhaps: [Related<Tag>?]
        }
        let response = try ingest(
            Response.self,
            #"""
            {"note": {}, "notes": [1, {}, 2], "credits": {"author": {}}, "subject": {"type": "City"},
            "tags": ["a", null, "b"], "perhaps": [null, {}, "a"]}
            """#
        )
        #expect(response.note == nil)
        #expect(response.notes == [Related(1), Related(2)])
        #expect(response.credits == nil)
        #expect(!response.$subject.isKnown)
        #expect(response.tags == [Related("a"), Related("b")])
        #expect(response.perhaps == [nil, Related("a")])
        #expect(
            Set(paths) == ["note", "notes[1]", "credits", "subject", "tags[1]", "perhaps[1]"]
        )
    }

    @Test("Nothing of a dropped relation is stored")
    func embeddedEntitiesOfDroppedRelations() throws {
        struct Credits: Codable, CachedReference {
            var author: Related<Person>
            var home: Related<City>

            func insertCacheKeys(into keys: inout Set<CacheKey>) {
                keys.formUnion([author.cacheKey, home.cacheKey])
            }
        }
        struct Response: Decodable {
            var credits: Credits?
            @Known var other: Credits?
            var byName: [String: Credits]
        }
        let credits = #"{"author": {"id": 7, "name": "Ged"}, "home": {}}"#
        let response = try ingest(
            Response.self,
            #"{"credits": \#(credits), "other": \#(credits), "byName": {"a": \#(credits)}}"#
        )
        #expect(response.credits == nil && !response.$other.isKnown && response.byName.isEmpty)
        #expect(Set(paths) == ["credits", "other", "byName.a"])
        #expect(cache.count(of: Person.self) == 0)
    }

    // MARK: Nulls

    @Test("A null relation is unknown if the strategy says so", arguments: [false, true])
    func nulls(isUnknown: Bool) throws {
        cache.set(Person(id: 1, home: Related("roke"), birthplace: Related("gont")))
        let person = try ingest(
            Person.self,
            #"{"id": 1, "age": null, "home": null, "birthplace": null}"#,
            strategy(dropsMalformed: false, nullIsUnknown: isUnknown)
        )
        #expect(person.home == nil && person.birthplace == nil)
        #expect(person.$birthplace == (isUnknown ? .unknown : .null))
        #expect(cache[Person.self, 1]?.birthplace == (isUnknown ? Related("gont") : nil))
        #expect(paths == (isUnknown ? ["home", "birthplace"] : []))
        #expect(problems.all.allSatisfy { $0.error == nil })
    }

    @Test("A null relation is known if only malformed ones are dropped")
    func nullsOfStrategyThatDropsMalformed() throws {
        let person = try ingest(
            Person.self,
            #"{"id": 1, "home": {}, "birthplace": null}"#,
            strategy(nullIsUnknown: false)
        )
        #expect(person.$birthplace == .null)
        #expect(paths == ["home"])
    }

    // MARK: Scopes

    @Test("Without a strategy, and after its closure, a malformed relation is an error")
    func strategyEndsWithItsClosure() throws {
        let text = #"{"id": 1, "home": {}}"#
        let strict = strategy(dropsMalformed: false)
        #expect(throws: DecodingError.self) { try ingest(Person.self, text, strict) }
        _ = try ingest(Person.self, text)
        #expect(throws: DecodingError.self) { try cache.ingest { try decoded(Person.self, text) } }
        try strategy().decode {
            #expect(throws: DecodingError.self) {
                try strict.decode { try decoded(Person.self, text) }
            }
            _ = try decoded(Person.self, text)
        }
        #expect(paths == ["home", "home"])
    }

    @Test func strategyAppliesAroundAnIngestAndOutsideOfIt() throws {
        let text = #"{"id": 1, "home": {"id": null}}"#
        try strategy().decode {
            try cache.ingest { try decoded(Person.self, text) }
            _ = try decoded(Person.self, text)
        }
        #expect(cache.contains(Person.self, id: 1))
        #expect(paths == ["home", "home"])
    }

    @Test("A strategy applies to data that another thread decodes in an explicit scope")
    func explicitScopes() async throws {
        let strategy = strategy()
        let text = #"""
            {"items": [{"id": 1, "title": "A", "author": {}, "tags": [{"id": "a", "note": ""}]},
            {"id": 2, "title": "B", "author": 7, "tags": [{}, {"id": "b", "note": ""}]}],
            "featured": {"id": null}}
            """#
        let page = try await cache.ingest {
            let ingestion = Ingestion.current
            return try await Task.detached {
                let decoder = JSONDecoder()
                decoder.userInfo[.ingestion] = ingestion
                return try strategy.decode {
                    try decoder.decode(Library.Page.self, from: Data(text.utf8))
                }
            }
            .value
        }
        #expect(page == Library.Page(items: [Related(2)], featured: nil))
        #expect(cache.ids(of: Novel.self) == [2])
        #expect(cache.ids(of: Tag.self) == ["b"])
        #expect(Set(paths) == ["items[0]", "items[1].tags[0]", "featured"])
    }

    @Test("Observers that a write in the closure notifies decode without the strategy")
    func observers() throws {
        let text = #"{"id": 1, "home": {}}"#
        let outcomes = Recorder<Bool>()
        let observation = cache.cached(City.self, id: "gont").observe { _ in
            outcomes.append((try? decoded(Person.self, text)) == nil)
        }
        strategy().decode { cache.set(City(id: "gont", name: "Gont")) }
        #expect(outcomes.all == [true])
        observation.dispose()
    }

    @Test("ValidElements lists the elements that it drops, and a strategy those inside of them")
    func validElements() throws {
        let page = try ingest(
            Library.LenientPage.self,
            #"""
            {"items": [{"id": 1, "title": "A", "author": {}, "tags": []},
            {"id": 2, "title": "B", "author": 7, "tags": [{}]}]}
            """#
        )
        #expect(Array(page.items) == [Related(2)])
        #expect(page.items.problems.map(\.index) == [0])
        #expect(paths == ["items[1].tags[0]"])
    }
}
