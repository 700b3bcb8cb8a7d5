import FlatCacheTesting
import Observation
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests what single kinds of sources add to the common members.
@Suite(.exclusive, .timeLimit(.minutes(15)))
struct SourceKindsTests {
    let server: StationServer
    let cache: Cache

    init() {
        server = StationServer()
        cache = Self.cache(server)
    }

    static func cache(_ server: StationServer = StationServer()) -> Cache {
        let cache = Cache(configuration: CacheConfiguration())
        cache.setLoader(for: Station.self, gathering: .zero) { ids in
            try await server.load(ids)
        }
        return cache
    }

    // MARK: Handles

    @Test("The depth of a handle and its loading don't replace each other")
    func depthAndLoading() async {
        let received = Recorder<Int>()
        let states = Recorder<String>()
        let depthAndLoading: [(Cached<Station>) -> Cached<Station>] = [
            { $0.loading().following(.none) }, { $0.following(.none).loading() },
        ]
        for make in depthAndLoading {
            // Another load may deliver the commits of its cache.
            let cache = Self.cache()
            let handle = make(cache.cached(Station.self, id: 1))
            received.removeAll()
            let token = handle.observe { [received] in received.append($0.revision) }
            #expect(handle.loadState.isLoading)
            #expect(handle.following(.allRelationships).loadState.isLoading)
            cache.set(Station(id: 1, revision: 1, next: [2]))
            #expect(await until { received.all == [1] })
            cache.set(Station(id: 2))
            cache.set(Station(id: 1, revision: 2, next: [2]))
            #expect(await until { received.all.last == 2 })
            #expect(received.all == [1, 2])
            token.dispose()
        }
        let handle = cache.cached(Station.self, id: 1).loading()
        let observation = handle.following(.none).loadStates.observe { states.append($0.name) }
        let token = handle.observe { _ in }
        #expect(await until { states.all == ["loading"] })
        token.dispose()
        observation.dispose()
    }

    @Test("Handles are equal if they follow and load alike")
    func equality() {
        let plain = cache.cached(Station.self, id: 1)
        #expect(plain == cache.cached(Station.self, id: 1))
        #expect(plain == plain.following(.none).following(.allRelationships))
        let others = [
            plain.following(.none), plain.following(.levels(1)), plain.loading(),
            plain.loading(.networkOnly), plain.loading { _ in true },
            plain.loading().following(.none), cache.cached(Station.self, id: 2),
        ]
        #expect(Set(others + others + [plain]).count == others.count + 1)
        #expect(plain.loading() == plain.loading())
    }

    @Test("A change has the present value first if the observer asks for it")
    func initialChange() {
        let kinds = Recorder<EntityChange<Station>.Kind>()
        let station = cache.cached(Station.self, id: 1)
        var token = station.observeChanges(initial: true) { kinds.append($0.kind) }
        #expect(kinds.all == [])
        cache.set(Station(id: 1))
        token = station.observeChanges(initial: true) { kinds.append($0.kind) }
        #expect(kinds.all == [.inserted, .inserted])
        token.dispose()
    }

    // MARK: Lists

    @Test("A list that a batch returns is observed as the list of the cache is")
    func listOfABatch() async {
        let calls = Recorder<[Int]>()
        let (tokens, values) = cache.performBatchUpdates { batch in
            let list = batch.list("line", of: Station.self)
            list.replace(with: [Station(id: 1)])
            let tokens = [
                list.observe(initial: true) { calls.append($0.map(\.id)) },
                list.observeChanges { calls.append($0.ids) },
            ]
            return (tokens, list.values)
        }
        cache.list("line", of: Station.self).append(contentsOf: [Station(id: 2)])
        #expect(calls.all.contains([1]))
        #expect(calls.all.suffix(2) == [[1, 2], [1, 2]])
        var iterator = values.makeAsyncIterator()
        #expect(await iterator.next()?.map(\.id) == [1, 2])
        for token in tokens { token.dispose() }
    }

    // MARK: Changes of single values

    @Test("A change of an aggregate has the values before and after")
    func changesOfAggregates() async {
        cache.set(Station(id: 1, revision: 5))
        let query = cache.query(Station.self)
        let sum = query.aggregate(.sum(of: \.revision))
        let revision = cache.cached(Station.self, id: 1).map { $0.revision }
        let changes = Recorder<[Int?]>()
        let tokens = [
            sum.observeChanges { changes.append([$0.old, $0.new]) },
            revision.observeChanges { changes.append([$0.old, $0.new]) },
        ]
        var sequence = sum.changes.makeAsyncIterator()
        cache.set(Station(id: 1, revision: 7))
        #expect(changes.all == [[5, 7], [5, 7]])
        cache.set(Station(id: 2, revision: 0))
        #expect(changes.count == 2)
        let change = await sequence.next()
        #expect(change?.old == 5 && change?.new == 7)
        cache.remove(Station.self, id: 1)
        #expect(changes.all.suffix(2).contains([7, 0]))
        #expect(changes.all.suffix(2).contains([7, nil]))
        withExtendedLifetime(tokens) {}
    }

    @Test("A change of a load state has the states before and after")
    func changesOfLoadStates() async throws {
        let handle = cache.cached(Station.self, id: 1).loading()
        let changes = Recorder<[String]>()
        let observation = handle.loadStates.observeChanges {
            changes.append([$0.old.name, $0.new.name])
        }
        #expect(changes.all == [])
        let token = handle.observe { _ in }
        #expect(changes.all == [["idle", "loading"]])
        #expect(await server.hasCalls(1))
        let waiting = Task { try await handle.loadStates.first { !$0.isLoading } }
        server.answer(0, Station(id: 1))
        #expect(try await waiting.value.name == "idle")
        #expect(await until { changes.count == 2 })
        #expect(changes.all.last == ["loading", "idle"])
        #expect("\(handle.loadStates)" == "LoadStates of Station(1)")
        observation.dispose()
        token.dispose()
    }

    // MARK: Observable objects

    @Test("Trackers of the load state and of the value are notified separately")
    func trackersOfLoadStates() async {
        let observed = Observed(cache.cached(Station.self, id: 1).loading(), delivery: .inline)
        let told = Recorder<String>()
        withObservationTracking {
            _ = observed.loadState
        } onChange: {
            told.append("load state")
        }
        withObservationTracking {
            _ = observed.value
        } onChange: {
            told.append("value")
        }
        #expect(await server.hasCalls(1))
        server.fail(0)
        #expect(await until { told.all == ["load state"] })
        cache.set(Station(id: 1))
        // The thread that has delivered the failure may deliver this commit, too.
        #expect(await until { told.all == ["load state", "value"] })
    }

    @Test("A property that can be set writes through")
    func settingAMember() {
        let observed = cache.list("line", of: Station.self).observable
        observed.ids = [2, 1]
        #expect(cache.list("line", of: Station.self).ids == [2, 1])
        #expect(observed.ids == [2, 1])
        #expect(observed.read { $0.ids(in: cache) } == [2, 1])
    }
}
