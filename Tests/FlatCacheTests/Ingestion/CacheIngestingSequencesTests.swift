import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

@Suite(.timeLimit(.minutes(15)))
struct CacheIngestingSequencesTests {
    private struct Unreadable: Error, Equatable {}

    /// Books that are made on demand, and the number of those that have been requested.
    struct Source: AsyncSequence {
        struct Iterator: AsyncIteratorProtocol {
            let source: Source
            var nextID = 0

            mutating func next() async throws -> Book? {
                source.requests.append(nextID)
                defer { nextID += 1 }
                if nextID == source.failingID { throw Unreadable() }
                if nextID == source.waitingID {
                    await untilCancelled()
                    if source.failsWhenCancelled { throw Unreadable() }
                    return nil
                }
                return nextID < source.count ? Book(id: nextID) : nil
            }
        }

        var count = 10
        var failingID: Int?
        /// The book that never comes.
        var waitingID: Int?
        var failsWhenCancelled = false
        let requests = Recorder<Int>()

        func makeAsyncIterator() -> Iterator { Iterator(source: self) }
    }

    let cache = Cache()

    @Test(arguments: [1, 3, 5, 10, 11, 500])
    func storesAllEntitiesInCommits(ofSize size: Int) async throws {
        let progress = Recorder<Int>()
        let versions = Recorder<UInt64>()
        let count = try await cache.ingest(contentsOf: Source(), perCommit: size) {
            progress.append($0)
            versions.append(cache.version)
        }
        #expect(count == 10)
        #expect(cache.ids(of: Book.self).sorted() == Array(0..<10))
        let expected = Array(stride(from: size, to: 10, by: size)) + [10]
        #expect(progress.all == expected)
        #expect(versions.all == (1...expected.count).map { UInt64($0) })
    }

    @Test func entitiesAreFoundInElementsOfOtherTypes() async throws {
        typealias City = Library.City
        let cities = ["a", "b", "c"].map { City(id: $0, name: $0) }
        func ingest<Element: Sendable>(_ elements: Element...) async throws {
            let stream = AsyncStream<Element> { continuation in
                for element in elements { continuation.yield(element) }
                continuation.finish()
            }
            #expect(try await cache.ingest(contentsOf: stream) == elements.count)
        }
        try await ingest(cities[...0], cities[0...])
        #expect(cache.count(of: City.self) == 3)
        cache.removeAll()
        try await ingest(ContiguousArray(cities))
        #expect(cache.count(of: City.self) == 3)
        cache.removeAll()
        try await ingest(cities[0] as any CacheEntity & Codable, Library.Person(id: 1))
        try await ingest([cities[1] as any CacheEntity & Codable], [Library.Person(id: 2)])
        #expect(cache.count(of: City.self) == 2)
        #expect(cache.count(of: Library.Person.self) == 2)
    }

    @Test func sequenceOfInnerIngestsKeepsTheirStamps() async throws {
        cache.set(Book(id: 3, title: "new"), modifiedAt: 10)
        let books = Source().map { [cache] book in
            cache.ingest(modifiedAt: 5) { Book(id: book.id, title: "old") }
        }
        try await cache.ingest(contentsOf: books)
        #expect(cache.get(Book.self, id: 3)?.title == "new")
        #expect(cache.get(Book.self, id: 4)?.title == "old")
    }

    @Test func emptySequenceIsNoCommit() async throws {
        let progress = Recorder<Int>()
        let count = try await cache.ingest(contentsOf: Source(count: 0)) { progress.append($0) }
        #expect(count == 0)
        #expect(progress.count == 0)
        #expect(cache.version == 0)
    }

    @Test func requestsTheNextEntitiesAfterTheCommit() async throws {
        let source = Source()
        let requests = Recorder<Int>()
        try await cache.ingest(contentsOf: source, perCommit: 4) { _ in
            requests.append(source.requests.count)
        }
        // The last commit follows the end of the sequence.
        #expect(requests.all == [4, 8, 11])
    }

    @Test func mergesInTheOrderOfTheSequence() async throws {
        let books = [Book(id: 1, title: "A", year: 1), Book(id: 2), Book(id: 1, title: "B")]
        let stream = AsyncStream { continuation in
            for book in books { continuation.yield(book) }
            continuation.finish()
        }
        #expect(try await cache.ingest(contentsOf: stream, perCommit: 2) == 3)
        #expect(cache[Book.self, 1] == Book(id: 1, title: "B", year: 1))
    }

    @Test func stampKeepsNewerValues() async throws {
        cache.set(Book(id: 1, title: "new"), modifiedAt: 2)
        try await cache.ingest(contentsOf: Source(), perCommit: 3, modifiedAt: 1)
        #expect(cache[Book.self, 1]?.title == "new")
        #expect(cache.count(of: Book.self) == 10)
    }

    @Test(arguments: [0, 1, 4, 5, 7])
    func failureNamesItsPosition(position: Int) async throws {
        let progress = Recorder<Int>()
        let error = await #expect(throws: SequenceIngestionError.self) {
            try await cache.ingest(contentsOf: Source(failingID: position), perCommit: 4) {
                progress.append($0)
            }
        }
        let stored = position / 4 * 4
        #expect(error?.position == position)
        #expect(error?.storedCount == stored)
        #expect(error?.elementType == "Book")
        #expect(error?.underlyingError is Unreadable)
        #expect(error.map { "\($0)" }?.contains("The Book at position \(position)") == true)
        #expect(cache.ids(of: Book.self).sorted() == Array(0..<stored))
        #expect(progress.all.last ?? 0 == stored)
    }

    @Test(arguments: [false, true])
    func cancellationKeepsTheCommitsBefore(failsWhenCancelled: Bool) async throws {
        let source = Source(waitingID: 7, failsWhenCancelled: failsWhenCancelled)
        let task = Task { [cache] in
            try await cache.ingest(contentsOf: source, perCommit: 3)
        }
        #expect(await until { source.requests.count == 8 })
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(cache.ids(of: Book.self).sorted() == Array(0..<6))
    }

    @Test func cancellationEndsASequenceThatIgnoresIt() async throws {
        let source = Source(count: .max)
        let task = Task { [cache] in
            try await cache.ingest(contentsOf: source, perCommit: 2) { storedCount in
                if storedCount == 4 { withUnsafeCurrentTask { $0?.cancel() } }
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(cache.count(of: Book.self) == 4)
        #expect(source.requests.count == 4)
    }

    @MainActor
    @Test func progressArrivesOnTheActorOfTheCaller() async throws {
        var counts: [Int] = []
        try await cache.ingest(contentsOf: Source(), perCommit: 5) { storedCount in
            MainActor.assertIsolated()
            counts.append(storedCount)
        }
        #expect(counts == [5, 10])
    }

    @Test func observersAreCalledOncePerCommit() async throws {
        let changes = Recorder<Int>()
        let list = cache.list("list", of: Book.self)
        list.ids = Array(0..<10)
        let observation = list.observe { changes.append($0.count) }
        try await cache.ingest(contentsOf: Source(), perCommit: 5)
        #expect(changes.all == [5, 10])
        observation.dispose()
    }

    @Test func commitOfNoEntitiesTraps() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            try await Cache().ingest(contentsOf: AsyncStream<Book> { $0.finish() }, perCommit: 0)
        }
        let message = try #require(result?.message)
        #expect(message.contains("A commit of 0 elements"))
    }

    @Test func sequenceOfValuesThatAreOnlyIdentifiableTraps() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            try await Cache().ingest(contentsOf: AsyncStream<Note> { $0.finish() })
        }
        let message = try #require(result?.message)
        #expect(message.contains("contains Note, which is Identifiable, but not a CacheEntity"))
    }
}
