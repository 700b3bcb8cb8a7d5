import FlatCache
import FlatCacheTesting
import Foundation
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

/// Tests that a file keeps the times of the latest whole values.
struct WholeValueTests {
    private let folder: GraphFolder
    private let clock = ManualClock()
    private let requestCount = Locked(0)

    init() throws {
        folder = try GraphFolder()
    }

    /// Returns a cache with a loader of whole profiles, and a new graph of the file.
    private func launched(
        _ loading: DurableLoading = .atStart,
        setsLoader: Bool = true
    ) async throws -> (Cache, SQLiteGraph) {
        var configuration = CacheConfiguration(clock: clock)
        configuration.limit(Profile.self, .unlimited, staleAfter: .seconds(60))
        let cache = Cache(configuration: configuration)
        let graph = try folder.graph(wallClock: clock.wallClock) {
            Durable(Profile.self, "profile", load: loading)
        }
        try await graph.attach(to: cache)
        if setsLoader { setLoader(in: cache) }
        return (cache, graph)
    }

    private func setLoader(in cache: Cache) {
        cache.setLoader(for: Profile.self, gathering: .zero, requiring: { $0.email != nil }) {
            [requestCount] ids in
            let number = requestCount.withLock { count in
                count += 1
                return count
            }
            return ids.map { Profile(id: $0, name: "detail", email: "email \(number)") }
        }
    }

    /// Loads the profile, and returns the number of requests so far.
    private func requestsAfterLoad(in cache: Cache) async throws -> Int {
        _ = try await cache.load(Profile.self, id: 1)
        return requestCount.withLock { $0 }
    }

    @Test(arguments: [DurableLoading.atStart, .onDemand])
    func rowsDoNotPostponeLoadsAfterALaunch(loading: DurableLoading) async throws {
        let (cache, graph) = try await launched(loading)
        #expect(try await requestsAfterLoad(in: cache) == 1)
        clock.advance(by: .seconds(50))
        cache.set(Profile(id: 1, name: "row"))
        try await graph.detach()

        clock.advance(by: .seconds(9))
        let (second, other) = try await launched(loading)
        #expect(try await requestsAfterLoad(in: second) == 1)
        clock.advance(by: .seconds(1))
        second.set(Profile(id: 1, name: "row"))
        #expect(second.freshness(of: Profile.self, id: 1).isFresh)
        #expect(try await requestsAfterLoad(in: second) == 2)
        clock.advance(by: .seconds(50))
        second.set(Profile(id: 1, name: "row"))
        try await other.detach()

        clock.advance(by: .seconds(10))
        let (third, _) = try await launched(loading)
        #expect(try await requestsAfterLoad(in: third) == 3)
    }

    @Test func rowBeforeTheLoaderIsSetDoesNotPostponeLoads() async throws {
        let (cache, graph) = try await launched()
        #expect(try await requestsAfterLoad(in: cache) == 1)
        clock.advance(by: .seconds(40))
        cache.set(Profile(id: 1, name: "row"))
        try await graph.detach()

        let (second, _) = try await launched(setsLoader: false)
        second.set(Profile(id: 1, name: "row"))
        clock.advance(by: .seconds(19))
        setLoader(in: second)
        #expect(try await requestsAfterLoad(in: second) == 1)
        clock.advance(by: .seconds(1))
        #expect(try await requestsAfterLoad(in: second) == 2)
    }

    @Test func invalidationOutlivesALaunchForLoads() async throws {
        let (cache, graph) = try await launched()
        #expect(try await requestsAfterLoad(in: cache) == 1)
        cache.invalidate(Profile.self, id: 1)
        cache.set(Profile(id: 1, name: "row"))
        try await graph.detach()

        let (second, _) = try await launched()
        #expect(second.freshness(of: Profile.self, id: 1).isFresh)
        #expect(try await requestsAfterLoad(in: second) == 2)
    }

    @Test func partialValueOverAnUnreadRowKeepsItsTime() async throws {
        let (cache, graph) = try await launched()
        #expect(try await requestsAfterLoad(in: cache) == 1)
        try await graph.detach()
        clock.advance(by: .seconds(50))

        // Memory lacks the row. The flush merges it beneath the partial value.
        let (second, other) = try await launched(.onDemand)
        second.set(Profile(id: 1, name: "row"))
        try await other.flush()
        #expect(second.get(Profile.self, id: 1) == Profile(id: 1, name: "row", email: "email 1"))
        #expect(try await requestsAfterLoad(in: second) == 1)
        clock.advance(by: .seconds(10))
        #expect(try await requestsAfterLoad(in: second) == 2)
    }

    @Test(arguments: [false, true], [false, true])
    func partialValueOverAnInvalidatedUnreadRowIsLoaded(
        endsCache: Bool,
        writesBefore: Bool
    ) async throws {
        let (cache, graph) = try await launched()
        #expect(try await requestsAfterLoad(in: cache) == 1)
        try await graph.detach()

        let write = { () async throws -> SQLiteGraph in
            let (second, other) = try await launched(.onDemand)
            if writesBefore { second.set(Profile(id: 1, name: "first")) }
            second.invalidate(Profile.self, id: 1)
            second.set(Profile(id: 1, name: "row"))
            if endsCache { return other }
            try await other.flush()
            #expect(second.freshness(of: Profile.self, id: 1).isFresh)
            #expect(try await requestsAfterLoad(in: second) == 2)
            return other
        }
        #expect(await untilDetached(try write()))
        let (third, _) = try await launched()
        #expect(third.freshness(of: Profile.self, id: 1).isFresh)
        #expect(try await requestsAfterLoad(in: third) == 2)
    }

    @Test func fileOfAFormerVersionGetsTheColumn() async throws {
        let (cache, graph) = try await launched()
        #expect(try await requestsAfterLoad(in: cache) == 1)
        try await graph.detach()
        try folder.run("ALTER TABLE profile DROP COLUMN whole")
        let (second, other) = try await launched()
        #expect(try await requestsAfterLoad(in: second) == 1)
        clock.advance(by: .seconds(50))
        second.set(Profile(id: 1, name: "row"))
        try await other.detach()
        #expect(try folder.run("SELECT whole FROM profile") == ["0"])
        #expect(folder.errors.all.isEmpty)
    }
}
