import Dispatch
import FlatCache
import Foundation
import TestSupport
import Testing

@testable import FlatCacheTestSupport

/// Scopes inside scopes, in batches, on other threads, and after their end.
@Suite(.exclusive)
struct IngestionScopesTests {
    private typealias City = Library.City
    private typealias Person = Library.Person

    private let cache = Cache()
    private let first = #"{"id": 1, "name": "Ged", "home": {"id": "gont", "name": "Gont"}}"#
    private let second = #"{"id": 2, "name": "Vetch", "home": {"id": "iffish", "name": "Iffish"}}"#

    @Test func innerScopeOfTheSameCacheJoinsTheOuterCommit() throws {
        try cache.ingest {
            try cache.ingest { try decoded(Person.self, first) }
            #expect(cache.version == 0)
            try cache.ingest(modifiedAt: 5) { try decoded(Person.self, second) }
        }
        #expect(cache.version == 1)
        #expect(cache.count(of: Person.self) == 2 && cache.count(of: City.self) == 2)
        // The inner stamp was kept.
        try cache.ingest(modifiedAt: 4) { try decoded(Person.self, #"{"id": 2, "name": "No"}"#) }
        #expect(cache[Person.self, 2]?.name == "Vetch")
    }

    @Test func errorOfAnInnerScopeDropsItsEntitiesAlone() throws {
        struct Failure: Error {}
        try cache.ingest {
            try cache.ingest { try decoded(Person.self, first) }
            #expect(throws: Failure.self) {
                try cache.ingest {
                    _ = try decoded(Related<Person>.self, second)
                    throw Failure()
                }
            }
        }
        #expect(cache.ids(of: Person.self) == [1])
        #expect(throws: Failure.self) {
            try cache.ingest {
                try cache.ingest { try decoded(Person.self, second) }
                throw Failure()
            }
        }
        #expect(cache.ids(of: Person.self) == [1])
    }

    @Test func innerScopeWithOtherWritesMakesACommitOfItsOwn() throws {
        try cache.ingest {
            _ = try decoded(Related<Person>.self, first)
            try cache.ingest {
                try decoded(Person.self, second)
            } apply: { batch, person in
                #expect(batch[Person.self, 2] == person)
            }
            #expect(cache.ids(of: Person.self) == [2])
        }
        #expect(cache.version == 2)
        #expect(cache.count(of: Person.self) == 2)
    }

    @Test func innerScopeOfAnotherCacheIsIndependent() throws {
        let other = Cache()
        try cache.ingest {
            try other.ingest {
                _ = try decoded(Related<Person>.self, first)
                // The scope around the scope of the other cache belongs to the same cache.
                try cache.ingest { try decoded(Person.self, second) }
            }
            #expect(other.ids(of: Person.self) == [1])
            #expect(cache.version == 0)
        }
        #expect(cache.ids(of: Person.self) == [2])
        #expect(cache.version == 1)
    }

    @Test func ingestInABatchJoinsTheBatch() throws {
        struct Failure: Error {}
        try cache.performBatchUpdates { batch in
            try cache.ingest { try decoded(Person.self, first) }
            #expect(batch[City.self, "gont"] != nil)
            #expect(cache[City.self, "gont"] == nil)
            #expect(throws: Failure.self) {
                try cache.ingest {
                    try decoded(Person.self, second)
                } apply: { _, _ in
                    throw Failure()
                }
            }
        }
        #expect(cache.version == 1)
        #expect(cache.ids(of: Person.self) == [1])
        // Also inside a scope: the batch is nearer.
        try cache.ingest {
            try cache.performBatchUpdates { batch in
                try cache.ingest { try decoded(Person.self, second) }
                #expect(batch.contains(Person.self, id: 2))
            }
            #expect(cache.version == 2)
        }
    }

    @Test func childTasksBelongToTheScope() async throws {
        try await cache.ingest {
            async let left = decoded(Related<Person>.self, first)
            async let right = decoded(Related<Person>.self, second)
            return try await [left, right]
        }
        #expect(cache.version == 1)
        #expect(cache.count(of: Person.self) == 2 && cache.count(of: City.self) == 2)
    }

    @Test("A detached task finds the scope in the user information of its decoder alone")
    func detachedTask() async throws {
        let lost = try await cache.ingest {
            try await Task.detached { [first] in try decoded(Related<Person>.self, first) }.value
        }
        #expect(lost.id == 1)
        #expect(cache.version == 0)
        let found = try await cache.ingest {
            let ingestion = Ingestion.current
            _ = try await Task.detached { [first] in
                try decoded(Related<Person>.self, first, in: ingestion)
            }.value
            return ingestion
        }
        let ingestion = try #require(found)
        #expect(cache[lost]?.home?.value(in: cache)?.name == "Gont")
        #expect(ingestion.report.storedCount == 2)
        #expect(ingestion.report.lateCount == 0)
    }

    @Test("The callback of a queue finds the scope in the user information of its decoder")
    func dispatchQueue() throws {
        cache.ingest {
            let ingestion = Ingestion.current
            let result = Recorder<Related<Person>?>()
            let group = DispatchGroup()
            DispatchQueue.global().async(group: group) { [first] in
                result.append(try? decoded(Related<Person>.self, first, in: ingestion))
            }
            group.wait()
            #expect(result.all == [Related(1)])
        }
        #expect(cache.count(of: Person.self) == 1)
    }

    @Test func scopeThatHasEndedStoresNothingAndCountsIt() throws {
        let ingestion = try #require(cache.ingest { Ingestion.current })
        #expect(Ingestion.current == nil)
        #expect(ingestion.report.lateCount == 0)
        let person = try decoded(Related<Person>.self, first, in: ingestion)
        #expect(person.id == 1)
        #expect(cache.version == 0)
        #expect(ingestion.report.lateCount == 2)
        ingestion.collect(Library.Tag(id: "late"))
        #expect(ingestion.report.lateCount == 3)
        #expect(ingestion.report.storedCount == 0)
        // A decoder that is used again finds the scope of its task.
        try cache.ingest { try decoded(Related<Person>.self, second, in: ingestion) }
        #expect(cache.ids(of: Person.self) == [2])
        #expect(ingestion.report.lateCount == 3)
    }

    @Test func taskThatOutlivesItsScopeStoresNothingMore() async throws {
        let scopeHasEnded = Signal()
        let (ingestion, task) = cache.ingest {
            let ingestion = Ingestion.current
            let task = Task { [first] in
                _ = await until { scopeHasEnded.isFired }
                let person = try decoded(Related<Person>.self, first)
                ingestion?.collect(contentsOf: [Person(id: 5), Person(id: 6)])
                return person.id
            }
            return (ingestion, task)
        }
        scopeHasEnded.fire()
        #expect(try await task.value == 1)
        #expect(cache.version == 0)
        #expect(ingestion?.report.lateCount == 4)
    }

    @Test func decodingDelaysNoOtherWriter() async throws {
        let isDone = { @Sendable (cache: Cache) in
            RunningThread { cache.set(Person(id: 9)) }.wait()
        }
        try cache.ingest {
            #expect(isDone(cache))
            return try decoded(Related<Person>.self, first)
        }
        try await cache.ingest {
            await Task.yield()
            #expect(isDone(cache))
            return try decoded(Related<Person>.self, second)
        }
        #expect(cache.ids(of: Person.self).contains(9))
    }

    @Test func scopeCollectsValuesThatItIsGiven() {
        struct Plain: Identifiable, Sendable { let id: Int }
        let ingestion = cache.ingest {
            let ingestion = Ingestion.current
            ingestion?.collect(Plain(id: 1))
            ingestion?.collect(contentsOf: [Plain(id: 2), Plain(id: 3)])
            return ingestion
        }
        #expect(cache.count(of: Plain.self) == 3)
        #expect(cache.version == 1)
        #expect(ingestion?.report.storedCount == 3)
    }
}

private func decoded<Result: Decodable>(
    _ type: Result.Type,
    _ text: String,
    in ingestion: Ingestion?
) throws -> Result {
    let decoder = JSONDecoder()
    decoder.userInfo[.ingestion] = ingestion
    return try decoder.decode(type, from: Data(text.utf8))
}
