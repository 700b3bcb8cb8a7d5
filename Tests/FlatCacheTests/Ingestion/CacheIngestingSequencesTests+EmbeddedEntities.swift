import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

extension CacheIngestingSequencesTests {
    /// A sequence that decodes each line when it is requested.
    private func people(
        _ lines: [String]
    ) -> AsyncThrowingMapSequence<AsyncStream<String>, Library.Person> {
        let stream = AsyncStream<String> { continuation in
            for line in lines { continuation.yield(line) }
            continuation.finish()
        }
        return stream.map { try decoded(Library.Person.self, $0) }
    }

    @Test func embeddedEntitiesAreStoredWithTheirElements() async throws {
        let versions = Recorder<UInt64>()
        let people = people([
            #"{"id": 1, "home": {"id": "a", "name": "A", "mayor": {"id": 2, "age": 5}}}"#,
            #"{"id": 2, "name": "Vetch", "age": 6}"#,
            #"{"id": 3, "home": {"id": "b", "name": "B", "mayor": {"id": 2, "age": 7}}}"#,
        ])
        let count = try await cache.ingest(contentsOf: people, perCommit: 2) { _ in
            versions.append(cache.version)
            #expect(cache.contains(Library.City.self, id: "a"))
            if versions.count == 1 {
                #expect(cache[Library.Person.self, 2]?.age == 6)
                #expect(!cache.contains(Library.City.self, id: "b"))
            }
        }
        #expect(count == 3)
        #expect(versions.all == [1, 2])
        #expect(cache[Library.Person.self, 2] == Library.Person(id: 2, name: "Vetch", age: 7))
        #expect(cache[Library.Person.self, 3]?.home?.value(in: cache)?.name == "B")
    }

    @Test func failedCommitStoresNoEmbeddedEntities() async throws {
        let lines = [
            #"{"id": 1, "home": {"id": "a", "name": "A"}}"#,
            #"{"id": 2, "home": {"id": "b", "name": "B"}}"#,
            #"{"id": "three"}"#,
        ]
        let error = await #expect(throws: SequenceIngestionError.self) {
            try await cache.ingest(contentsOf: people(lines), perCommit: 1)
        }
        #expect(error?.position == 2)
        #expect(error?.underlyingError is DecodingError)
        let other = Cache()
        await #expect(throws: SequenceIngestionError.self) {
            try await other.ingest(contentsOf: people(lines), perCommit: 5)
        }
        #expect(cache.ids(of: Library.City.self).sorted() == ["a", "b"])
        #expect(other.count(of: Library.City.self) == 0)
        #expect(other.count(of: Library.Person.self) == 0)
    }

    @Test func insideAnotherIngestAllElementsBelongToItsCommit() async throws {
        try await cache.ingest {
            try await cache.ingest(contentsOf: Source(), perCommit: 3)
            #expect(cache.version == 0)
        }
        #expect(cache.version == 1)
        #expect(cache.count(of: Book.self) == 10)
    }

    @Test func storesTheEntitiesInElementsOfOtherTypes() async throws {
        let progress = Recorder<Int>()
        let elements: [[Library.Person]] = [
            [Library.Person(id: 1), Library.Person(id: 2)], [], [Library.Person(id: 1, age: 5)],
        ]
        let stream = AsyncStream { continuation in
            for element in elements { continuation.yield(element) }
            continuation.finish()
        }
        let count = try await cache.ingest(contentsOf: stream, perCommit: 2) {
            progress.append($0)
        }
        #expect(count == 3)
        #expect(progress.all == [2, 3])
        #expect(cache[Library.Person.self, 1]?.age == 5)
        #expect(cache.contains(Library.Person.self, id: 2))
        let numbers = AsyncStream {
            $0.yield(1); $0.finish()
        }
        #expect(try await cache.ingest(contentsOf: numbers) == 1)
        #expect(cache.version == 2)
    }

    @Test func storesTheEntitiesEmbeddedInReferences() async throws {
        let lines = [#"{"id": 1, "age": 5}"#, "2", #"{"id": 3, "home": {"id": "a", "name": "A"}}"#]
        let stream = AsyncStream<String> { continuation in
            for line in lines { continuation.yield(line) }
            continuation.finish()
        }
        let references = stream.map { try decoded(Related<Library.Person>.self, $0) }
        #expect(try await cache.ingest(contentsOf: references, modifiedAt: 1) == 3)
        #expect(cache.ids(of: Library.Person.self).sorted() == [1, 3])
        #expect(cache.contains(Library.City.self, id: "a"))
    }

    @Test func elementThatAnInnerIngestHasStoredIsNotStoredAgain() async throws {
        cache.set(Book(id: 1, title: "newer"), modifiedAt: 2)
        let stream = AsyncStream<Int> {
            $0.yield(1); $0.finish()
        }
        let cache = cache
        let books = stream.map { id in
            cache.ingest(modifiedAt: 1) { Book(id: id, title: "older") }
        }
        #expect(try await cache.ingest(contentsOf: books) == 1)
        #expect(cache[Book.self, 1]?.title == "newer")
    }
}
