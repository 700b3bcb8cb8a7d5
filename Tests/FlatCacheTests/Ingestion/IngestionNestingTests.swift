import FlatCache
import TestSupport
import Testing

@testable import FlatCacheTestSupport

/// Ingests whose entities belong to another scope, or to none.
struct IngestionNestingTests {
    private typealias City = Library.City
    private typealias Person = Library.Person
    private struct Failure: Error {}
    /// An element that ingests itself, and then fails if it's old.
    private struct Element: Decodable {
        @TaskLocal static var cache: Cache?

        init(from decoder: any Decoder) throws {
            let city = try City(from: decoder)
            Self.cache?.ingest(modifiedAt: city.name == "old" ? 9 : 5) { city }
            if city.name == "old" { throw Failure() }
        }
    }

    private let cache = Cache()
    private let old = #"{"id": "gont", "name": "old"}"#
    private let new = #"{"id": "gont", "name": "new"}"#

    @Test func ingestInAnObserverDoesNotBelongToTheScopeOfTheWriter() throws {
        let token = cache.cached(Person.self, id: 1).observe { [cache, new] _ in
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

    @Test("The result of an inner ingest keeps its stamp as the outer closure's result")
    func innerResult() throws {
        cache.set(City(id: "gont", name: "new"), modifiedAt: 10)
        try cache.ingest {
            try cache.ingest(modifiedAt: 5) { try decoded(City.self, old) }
        }
        #expect(cache[City.self, "gont"]?.name == "new")
        try cache.ingest {
            [try cache.ingest { try cache.ingest(modifiedAt: 5) { try decoded(City.self, old) } }]
        }
        #expect(cache[City.self, "gont"]?.name == "new")
        try cache.ingest {
            try cache.ingest(modifiedAt: 5) {
                try decoded(City.self, old)
            } apply: { _, _ in
            }
        }
        #expect(cache[City.self, "gont"]?.name == "new")
    }

    @Test func entityThatAnInnerScopeWasGivenKeepsItsStamp() throws {
        cache.set(City(id: "gont", name: "new"), modifiedAt: 10)
        let city = City(id: "gont", name: "old")
        cache.ingest {
            cache.ingest(modifiedAt: 5) {
                Ingestion.current?.collect(city)
                return ("page", [city])
            }.1
        }
        #expect(cache[City.self, "gont"]?.name == "new")
    }

    @Test func resultOfAnInnerIngestIsCountedOnce() throws {
        let ingestion = Recorder<Ingestion?>()
        try cache.ingest {
            ingestion.append(Ingestion.current)
            return try cache.ingest { try decoded(City.self, old) }
        }
        #expect(ingestion.all.map(\.?.report.storedCount) == [1])
    }

    @Test func changedResultOfAnInnerIngestIsStored() throws {
        try cache.ingest {
            var city = try cache.ingest { try decoded(City.self, old) }
            city.name = "changed"
            return city
        }
        #expect(cache[City.self, "gont"]?.name == "changed")
    }

    @Test func innerIngestWithAStampKeepsItsPlaceInTheOrder() throws {
        try cache.ingest {
            try cache.ingest(modifiedAt: 5) { try decoded(City.self, old) }
            _ = try decoded(Related<City>.self, new)
        }
        #expect(cache[City.self, "gont"]?.name == "new")
    }

    @Test func droppedElementDropsTheEntitiesOfAnInnerIngest() throws {
        let elements = try Element.$cache.withValue(cache) {
            try cache.ingest {
                try decoded(ValidElements<Element>.self, "[\(old), \(new)]")
            }
        }
        #expect(elements.problems.map(\.index) == [0])
        #expect(cache[City.self, "gont"]?.name == "new")
        #expect(cache.count(of: City.self) == 1)
    }

    @Test func scopeThatHasEndedKeepsNoOtherScope() {
        weak var outer: Ingestion?
        var inner: Ingestion?
        cache.ingest {
            outer = Ingestion.current
            cache.ingest { inner = Ingestion.current }
        }
        #expect(inner?.report.storedCount == 0)
        #expect(outer == nil)
    }
}
