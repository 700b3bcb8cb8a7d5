import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

@Suite(.timeLimit(.minutes(20)))
struct CacheLoadingThreadsTests {
    @Test func manyLoadsOfAKeyMakeOneCall() async throws {
        let cache = Cache()
        let server = HeldServer<Book.ID, Book?>()
        let loads = (0..<1_000).map { number in
            Task {
                // Closures, several keys and one key share the call.
                if number.isMultiple(of: 2) {
                    return try await cache.load(Book.self, id: 1) {
                        try await server.response(to: 1)
                    }
                }
                return try await cache.load(Book.self, ids: [1]) {
                    try await server.response(to: $0[0]).map { [$0] } ?? []
                }[1]
            }
        }
        let key = CacheKey(Book.self, id: 1)
        #expect(
            await until {
                cache.core.loads.waiterCount(for: key) == 1_000 && server.requests.count == 1
            }
        )
        server.answer(Book(id: 1, title: "loaded"))
        for load in loads { #expect(try await load.value?.title == "loaded") }
        #expect(server.requests == [1])
        #expect(cache.version == 1)
        #expect(cache.core.loads.isIdle)
        #expect(!cache.core.writer.hasLeases)
    }

    @Test func firstRequestsOfACacheAreStaleAfterTheirInvalidation() async {
        let settings = RandomTestSettings(seeds: 200, hasThreads: true)
        await settings.forEachSeed { seed in
            let cache = Cache()
            let freshNames = Recorder<String>()
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        let name = "request \(number)"
                        _ = try? await cache.load(name) { number }
                        cache.invalidate(request: name)
                        if !cache.freshness(ofRequest: name).isStale { freshNames.append(name) }
                    }
                }
            }
            return FailureReport(seed: seed, problems: freshNames.all)
        }
    }

    /// No key is requested by two calls at a time, every load returns the values of its own keys,
    /// and nothing remains at the end.
    @Test(arguments: [false, true])
    func overlappingLoadsRequestAKeyOnceAtATime(hasLoader: Bool) async {
        let settings = RandomTestSettings(seeds: 15, hasThreads: true)
        await settings.forEachSeed { seed in
            let cache = Cache()
            let loading = Locked<Set<Book.ID>>([])
            let problems = Recorder<String>()
            let fetch: @Sendable ([Book.ID]) async throws -> [Book] = { ids in
                let repeated = loading.withLock { loading in
                    defer { loading.formUnion(ids) }
                    return loading.intersection(ids)
                }
                if !repeated.isEmpty { problems.append("\(repeated) are loaded twice.") }
                if Set(ids).count != ids.count { problems.append("\(ids) has repetitions.") }
                for _ in 0..<ids.count { await Task.yield() }
                // The call still runs for a moment, but no longer needs the server.
                loading.withLock { $0.subtract(ids) }
                return ids.map { Book(id: $0, title: "\($0)") }
            }
            cache.setLoader(for: Book.self, gathering: .microseconds(50), atMost: 4, fetch)
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<30 {
                    group.addTask {
                        var random = SplitMix64(seed: seed, stream: number)
                        for _ in 0..<5 {
                            let ids = (0..<random.number(in: 1...4)).map { _ in random.below(12) }
                            do {
                                let books =
                                    hasLoader
                                    ? try await cache.load(
                                        Book.self,
                                        ids: ids,
                                        policy: .networkOnly
                                    )
                                    : try await cache.load(
                                        Book.self,
                                        ids: ids,
                                        policy: .networkOnly,
                                        fetch
                                    )
                                if Set(books.keys) != Set(ids) {
                                    problems.append("\(books.keys) instead of \(ids)")
                                }
                                if books.contains(where: { $1.title != "\($0)" }) {
                                    problems.append("\(books) have wrong values.")
                                }
                            } catch {
                                problems.append("\(error)")
                            }
                        }
                    }
                }
            }
            if await !until({ cache.core.loads.isIdle && !cache.core.writer.hasLeases }) {
                problems.append("A call remains.")
            }
            cache.core.loads.checkInvariants()
            return FailureReport(seed: seed, problems: problems.all)
        }
    }

    @Test("Loads return their values among writes, cancellations and replaced loaders")
    func loadsAmongOtherWrites() async {
        let settings = RandomTestSettings(seeds: 15, hasThreads: true)
        await settings.forEachSeed { seed in
            let cache = Cache()
            let problems = Recorder<String>()
            let setLoader: @Sendable (Int) -> Void = { number in
                cache.setLoader(
                    for: Book.self,
                    gathering: number.isMultiple(of: 2) ? .zero : .microseconds(20),
                    atMost: 1 + number % 3
                ) { ids in
                    if Set(ids).count != ids.count { problems.append("\(ids) has repetitions.") }
                    await Task.yield()
                    return ids.map { Book(id: $0, title: "\($0)") }
                }
            }
            setLoader(1)
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<30 {
                    group.addTask {
                        var random = SplitMix64(seed: seed, stream: number)
                        for _ in 0..<8 {
                            let id = random.below(5)
                            switch random.below(12) {
                            case 0: cache.remove(Book.self, id: id)
                            case 1: cache.invalidate(Book.self, id: id)
                            case 2: cache.removeAll()
                            case 3: setLoader(random.below(4))
                            case 4: cache.set(Book(id: id, title: "\(id)"))
                            case 5:
                                let load = Task { try await cache.load(Book.self, ids: [id, 0]) }
                                if random.oneIn(2) { await Task.yield() }
                                load.cancel()
                                if case .failure(let error) = await load.result,
                                    !(error is CancellationError)
                                {
                                    problems.append("\(error)")
                                }
                            case 6:
                                let count = try? await cache.load("\(id)") { id }
                                if count != id { problems.append("The response is lost.") }
                            default:
                                let policy: LoadPolicy = random.pick([
                                    .cacheFirst, .networkOnly, .staleWhileRevalidate,
                                ])
                                let book = try? await cache.load(
                                    Book.self,
                                    id: id,
                                    policy: policy
                                )
                                if book?.title != "\(id)" {
                                    problems.append("\(id): \(book as Any)")
                                }
                            }
                        }
                    }
                }
            }
            if await !until({ cache.core.loads.isIdle && !cache.core.writer.hasLeases }) {
                problems.append("A call remains.")
            }
            cache.core.loads.checkInvariants()
            cache.core.checkInvariants()
            return FailureReport(seed: seed, problems: problems.all)
        }
    }
}
