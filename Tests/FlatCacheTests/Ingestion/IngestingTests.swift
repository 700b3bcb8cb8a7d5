import FlatCache
import Foundation
import Testing

@testable import FlatCacheTestSupport

/// The forms of `ingest`, their results and their errors.
struct IngestingTests {
    private typealias City = Library.City
    private typealias Person = Library.Person

    private let cache = Cache()
    private let person = #"{"id": 1, "name": "Ged", "home": {"id": "gont", "name": "Gont"}}"#

    @Test func embeddedEntitiesAndTheResultAreStoredInOneCommit() throws {
        let ged = try cache.ingest { try decoded(Person.self, person) }
        #expect(cache[Person.self, 1] == ged)
        #expect(ged.home?.value(in: cache)?.name == "Gont")
        #expect(cache.version == 1)
    }

    @Test("Results are found in optionals, arrays, sets and dictionaries, in a generic function")
    func results() throws {
        func request<Result: Decodable>(_ text: String) throws -> Result {
            try cache.ingest { try decoded(Result.self, text) }
        }
        let _: Person? = try request(#"{"id": 1}"#)
        let _: [Person] = try request(#"[{"id": 2}, {"id": 3}]"#)
        let _: [String: [Person?]] = try request(#"{"a": [{"id": 4}, null], "b": [{"id": 5}]}"#)
        let _: ValidElements<Person> = try request(#"[{"id": 6}, {}]"#)
        #expect(Set(cache.ids(of: Person.self)) == [1, 2, 3, 4, 5, 6])
        #expect(cache.version == 4)
        let _: [Int] = try request("[1]")
        let _: Person? = try request("null")
        #expect(cache.version == 4)
        #expect(cache.ingest { [City(id: "a", name: "A") as any CacheEntity] }.count == 1)
        #expect(cache.contains(City.self, id: "a"))
    }

    @Test func resultOfValuesThatAreOnlyIdentifiableTraps() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            _ = Cache().ingest { ["first": [Note(id: 1, text: "")]] }
        }
        let message = try #require(result?.message)
        #expect(message.contains("contains Note, which is Identifiable, but not a CacheEntity"))
    }

    @Test func applyWritesInTheSameCommit() throws {
        try cache.ingest {
            try decoded([Related<Person>].self, "[\(person)]")
        } apply: { batch, people in
            #expect(batch[people[0]]?.name == "Ged")
            #expect(cache[people[0]] == nil)
            batch.set(Person(id: 2, name: "Vetch"))
        }
        #expect(cache.count(of: Person.self) == 2)
        #expect(cache.version == 1)
    }

    @Test func errorStoresNothing() async throws {
        struct Failure: Error {}
        #expect(throws: Failure.self) {
            try cache.ingest {
                _ = try decoded(Related<Person>.self, person)
                throw Failure()
            }
        }
        #expect(throws: Failure.self) {
            try cache.ingest {
                try decoded(Person.self, person)
            } apply: { batch, _ in
                batch.set(Person(id: 7))
                throw Failure()
            }
        }
        await #expect(throws: Failure.self) {
            try await cache.ingest {
                _ = try decoded(Related<Person>.self, person)
                await Task.yield()
                throw Failure()
            }
        }
        #expect(cache.version == 0)
        #expect(cache.count(of: Person.self) == 0 && cache.count(of: City.self) == 0)
    }

    @Test func olderStampDoesNotOverwriteANewerOne() throws {
        let older = #"{"id": 1, "name": "Sparrowhawk", "age": 60}"#
        try cache.ingest(modifiedAt: 2) { try decoded(Person.self, person) }
        try cache.ingest(modifiedAt: 1) { try decoded(Related<Person>.self, older) }
        #expect(cache[Person.self, 1]?.name == "Ged")
        #expect(cache[Person.self, 1]?.age == 60)
    }

    @Test("Entities are stored in the order in which they end, the result last")
    func order() throws {
        let inner = #"{"id": 1, "name": "inner", "age": 1}"#
        let text = #"""
            [
                {"id": 1, "name": "outer", "home": {"id": "a", "name": "A", "mayor": \#(inner)}},
                {"id": 2, "home": {"id": "a", "name": "B"}}
            ]
            """#
        try cache.ingest { try decoded([Related<Person>].self, text) }
        #expect(cache[Person.self, 1]?.name == "outer")
        #expect(cache[Person.self, 1]?.age == 1)
        #expect(cache[City.self, "a"]?.name == "B")
        #expect(cache[City.self, "a"]?.mayor == nil)
    }

    @Test func asynchronousFormsKeepTheIsolationOfTheCaller() async throws {
        actor Loader {
            var count = 0

            func load(into cache: Cache, _ text: String) async throws {
                try await cache.ingest {
                    count += 1
                    await Task.yield()
                    count += 1
                    return try decoded(Related<Person>.self, text)
                } apply: { batch, person in
                    #expect(batch[person] != nil)
                }
            }
        }
        let loader = Loader()
        try await loader.load(into: cache, person)
        #expect(await loader.count == 2)
        // A synchronous closure needs no await in an asynchronous function.
        try cache.ingest { try decoded(Person.self, #"{"id": 2}"#) }
        #expect(cache.count(of: Person.self) == 2)
    }

    @Test("Nothing of an embedded entity that a model drops is stored")
    func droppedEntities() throws {
        struct Lenient: Decodable {
            enum CodingKeys: CodingKey { case novel }

            var novel: Related<Library.Novel>?

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                novel = try? container.decode(Related<Library.Novel>.self, forKey: .novel)
            }
        }
        let author = #"{"id": 1, "name": "A"}"#
        let malformed = #"{"novel": {"id": 1, "title": "A", "author": \#(author), "tags": 5}}"#
        let valid = #"{"novel": {"id": 2, "title": "B", "author": 2, "tags": []}}"#
        // A scope decodes the first references in another way than later ones.
        let all = [malformed, valid, valid, malformed, malformed].joined(separator: ",")
        let lenient = try cache.ingest { try decoded([Lenient].self, "[\(all)]") }
        #expect(lenient.map(\.novel?.id) == [nil, 2, 2, nil, nil])
        #expect(cache.ids(of: Library.Novel.self) == [2])
        #expect(cache.count(of: Person.self) == 0)
    }

    @Test func ingestThatFindsNothingMakesNoCommit() {
        #expect(cache.ingest { 1 } == 1)
        #expect(cache.version == 0)
    }

    @Test("An object that contains only an id is a reference, even to a partial type")
    func referencesToPartialTypes() throws {
        cache.set(Library.Tag(id: "a", note: "A"))
        let text = #"[{"id": "a"}, {"id": "b", "note": "B"}, {"id": "a"}, {"id": "c"}, "d"]"#
        let tags = try cache.ingest { try decoded([Related<Library.Tag>].self, text) }
        #expect(tags.map(\.id) == ["a", "b", "a", "c", "d"])
        #expect(cache[Library.Tag.self, "a"]?.note == "A")
        #expect(Set(cache.ids(of: Library.Tag.self)) == ["a", "b"])
    }
}
