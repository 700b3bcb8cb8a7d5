import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

@Suite(.timeLimit(.minutes(20)))
struct LoaderReplacingTests {
    private let clock = ManualClock()
    private let server = HeldServer<[Book.ID], [Book]>()

    private func waiterCount(_ cache: Cache, _ id: Book.ID) -> Int {
        cache.core.loads.waiterCount(for: CacheKey(Book.self, id: id))
    }

    @Test func cachesHaveTheirOwnLoaders() async throws {
        let first = Cache()
        first.setLoader(for: Book.self) { ids in ids.map { Book(id: $0, title: "first") } }
        first.setLoader(for: Note.self) { ids in ids.map { Note(id: $0, text: "note") } }
        let second = Cache()
        second.setLoader(for: Book.self) { ids in ids.map { Book(id: $0, title: "second") } }
        #expect(try await first.load(Book.self, id: 1)?.title == "first")
        #expect(try await first.load(Note.self, id: 1)?.text == "note")
        #expect(try await second.load(Book.self, id: 1)?.title == "second")
        second.setLoader(for: Book.self) { ids in ids.map { Book(id: $0, title: "third") } }
        #expect(try await second.load(Book.self, id: 2)?.title == "third")
        #expect(try await first.load(Book.self, id: 2)?.title == "first")
    }

    @Test func loadsDoNotJoinTheCallsOfAFormerLoader() async throws {
        let cache = Cache(configuration: CacheConfiguration(clock: clock))
        cache.setLoader(for: Book.self, gathering: .zero) { [server] in
            try await server.response(to: $0)
        }
        let former = Task { try await cache.load(Book.self, id: 1) }
        #expect(await until { server.requests == [[1]] })
        cache.setLoader(for: Book.self, gathering: .zero) { [server] ids in
            try await server.response(to: ids + [1])
        }
        let present = Task { try await cache.load(Book.self, id: 1) }
        #expect(await until { server.requests == [[1], [1, 1]] })
        server.answer(1, [Book(id: 1, title: "present")])
        #expect(try await present.value?.title == "present")
        server.answer(0, [Book(id: 1, title: "former", year: 1974)])
        // The earlier call's answer lies beneath the later one's.
        #expect(try await former.value == Book(id: 1, title: "present", year: 1974))
        #expect(cache.get(Book.self, id: 1) == Book(id: 1, title: "present", year: 1974))
    }

    @Test func newLoaderAnswersTheCallThatTheFormerOneGathers() async throws {
        let cache = Cache(configuration: CacheConfiguration(clock: clock))
        let calls = Recorder<String>()
        cache.setLoader(for: Book.self, gathering: .seconds(1)) { ids in
            calls.append("former \(ids)")
            return ids.map { Book(id: $0) }
        }
        let former = Task { try await cache.load(Book.self, ids: [1, 2]) }
        #expect(await until { waiterCount(cache, 1) == 1 && clock.sleeperCount == 1 })
        cache.setLoader(for: Book.self, gathering: .seconds(2)) { ids in
            calls.append("present \(ids)")
            return ids.map { Book(id: $0) }
        }
        #expect(waiterCount(cache, 1) == 0)
        let present = Task { try await cache.load(Book.self, ids: [2, 3]) }
        #expect(await until { waiterCount(cache, 2) == 1 && clock.sleeperCount == 2 })
        clock.advance(by: .seconds(1))
        #expect(try await former.value.count == 2)
        clock.advance(by: .seconds(1))
        #expect(try await present.value.count == 2)
        // The first call has stored the second book before the other one begins.
        #expect(calls.all == ["present [1, 2]", "present [3]"])
    }

    @Test func newLoaderReceivesAsManyIdentifiersAsItAllows() async throws {
        let cache = Cache(configuration: CacheConfiguration(clock: clock))
        let calls = Recorder<[Book.ID]>()
        cache.setLoader(for: Book.self, gathering: .seconds(1)) { ids in ids.map { Book(id: $0) } }
        let load = Task { try await cache.load(Book.self, ids: 1...5) }
        #expect(await until { waiterCount(cache, 5) == 1 && clock.sleeperCount == 1 })
        cache.setLoader(for: Book.self, gathering: .zero, atMost: 2) { ids in
            calls.append(ids)
            return ids.map { Book(id: $0) }
        }
        clock.advance(by: .seconds(1))
        #expect(try await load.value.count == 5)
        #expect(calls.all == [[1, 2], [3, 4], [5]])
    }

    @Test("A load that has joined another call makes its own call by the present loader")
    func newLoaderDuringAJoinedCall() async throws {
        let cache = Cache()
        let present = HeldServer<[Book.ID], [Book]>()
        let closure = HeldServer<Book.ID, Book?>()
        func setLoader(_ server: HeldServer<[Book.ID], [Book]>) {
            cache.setLoader(for: Book.self, gathering: .zero, requiring: { $0.year != nil }) {
                try await server.response(to: $0)
            }
        }
        setLoader(server)
        let row = Task {
            try await cache.load(Book.self, id: 1) { try await closure.response(to: 1) }
        }
        #expect(await until { closure.requests == [1] })
        let detail = Task { try await cache.load(Book.self, id: 1) }
        #expect(await until { waiterCount(cache, 1) == 2 })
        setLoader(present)
        // The answer is partial, so the detail makes a call.
        closure.answer(Book(id: 1, title: "closure"))
        #expect(try await row.value?.year == nil)
        #expect(await until { server.requests.count + present.requests.count == 1 })
        try #require(present.requests == [[1]])
        // A later load joins that call.
        let later = Task { try await cache.load(Book.self, id: 1) }
        #expect(await until { waiterCount(cache, 1) == 2 })
        present.answer([Book(id: 1, year: 1974)])
        #expect(try await detail.value?.year == 1974)
        #expect(try await later.value?.year == 1974)
        #expect(present.requests.count == 1)
    }

    @Test func newLoaderEndsThePauseOfAHandleAfterARememberedFailure() async {
        let cache = Cache(configuration: CacheConfiguration(clock: clock))
        cache.setLoader(for: Book.self, gathering: .zero, rememberingFailures: .seconds(3_000)) {
            [server] in try await server.response(to: $0)
        }
        let handle = cache.cached(Book.self, id: 1).loading()
        let token = handle.observe { _ in }
        #expect(await until { server.requests.count == 1 })
        server.answer(0, .failure(StationServer.Failure()))
        #expect(await until { handle.loadState.nextAttempt != nil })
        await cache.waitForObservers()
        cache.setLoader(for: Book.self, gathering: .zero) { [server] in
            try await server.response(to: $0)
        }
        #expect(handle.loadState.isLoading)
        #expect(await until { server.requests.count == 2 })
        token.dispose()
    }

    @Test func loaderOfAnotherTypeIsNotConcerned() async throws {
        let cache = Cache()
        cache.setLoader(for: Book.self, gathering: .zero) { [server] in
            try await server.response(to: $0)
        }
        let first = Task { try await cache.load(Book.self, id: 1) }
        #expect(await until { server.requests == [[1]] })
        cache.setLoader(for: Note.self) { ids in ids.map { Note(id: $0, text: "note") } }
        let second = Task { try await cache.load(Book.self, id: 1) }
        #expect(await until { waiterCount(cache, 1) == 2 })
        #expect(try await cache.load(Note.self, id: 1)?.text == "note")
        server.answer([Book(id: 1)])
        #expect(try await first.value == Book(id: 1))
        #expect(try await second.value == Book(id: 1))
    }
}
