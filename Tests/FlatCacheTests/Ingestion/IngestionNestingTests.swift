import FlatCache
import TestSupport
import Testing

/// Ingests whose entities belong to another scope, or to none.
struct IngestionNestingTests {
    private typealias City = Library.City
    private typealias Person = Library.Person
    private struct Failure: Error {}

    private let cache = Cache()
    private let old = #"{"id": "gont", "name": "old"}"#
    private let new = #"{"id": "gont", "name": "new"}"#

    @Test func anIngestInAnObserverDoesNotBelongToTheScopeOfTheWriter() throws {
        let token = cache.observe(Person.self, id: 1) { [cache, new] _ in
            _ = try? cache.ingest { try decoded(City.self, new) }
        }
        #expect(throws: Failure.self) {
            try cache.ingest {
                cache.set(Person(id: 1, name: "Ged"))
                #expect(cache[City.self, "gont"]?.name == "new")
                throw Failure()
            }
        }
        #expect(cache[City.self, "gont"]?.name == "new")
        token.dispose()
    }
}
