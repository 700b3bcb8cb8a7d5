import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests how many observers a commit calls, and how often an observer receives its own writes.
@Suite(.timeLimit(.minutes(15)))
struct CachedListWakingTests {
    let cache = Cache()

    @Test(arguments: [RelationshipDepth.allRelationships, .none])
    func entitiesOutsideAThousandListsDontWakeThem(following: RelationshipDepth) {
        cache.set(contentsOf: (0..<3_000).map { Station(id: $0) })
        let woken = Recorder<Int>()
        let observations = (0..<1_000).flatMap { number in
            let list = cache.list("list \(number)", of: Station.self)
            list.ids = [number, number + 1, 2_000]
            return [
                list.following(following).observe { _ in woken.append(number) },
                list.following(following).observeChanges { _ in woken.append(number) },
            ]
        }
        cache.touch(2_500)
        cache.set(Station(id: 5_000))
        cache.list("another", of: Station.self).ids = [1, 2, 2_500]
        #expect(woken.all == [])
        cache.touch(500)
        #expect(woken.all == [499, 499, 500, 500])
        woken.removeAll()
        cache.touch(2_000)
        #expect(woken.all == (0..<1_000).flatMap { [$0, $0] })
        cache.core.checkInvariants()
        for observation in observations { observation.dispose() }
        #expect(cache.core.watchedCount == 0)
    }

    @Test func removedElementsDontWakeTheListsAnyMore() {
        cache.set(Station(id: 0))
        let woken = Recorder<Int>()
        let lists = (0..<1_000).map { cache.list("list \($0)", of: Station.self) }
        let observations = lists.enumerated().map { number, list in
            list.ids = [0]
            return list.observeChanges { _ in woken.append(number) }
        }
        cache.performBatchUpdates { _ in
            for list in lists.dropLast() { list.removeAll() }
        }
        woken.removeAll()
        cache.touch(0)
        #expect(woken.all == [999])
        for observation in observations { observation.dispose() }
    }

    @Test func observerReceivesItsWriteToTheListNext() {
        let list = cache.list("list", of: Station.self)
        let received = Recorder<[Station.ID]>()
        let depth = Locked(0)
        let observation = list.observe { stations in
            #expect(depth.withLock { $0 } == 0, "One call ends before the next one begins.")
            depth.withLock { $0 += 1 }
            received.append(stations.map(\.id))
            if stations.count < 200 { list.insert(Station(id: stations.count), at: 0) }
            depth.withLock { $0 -= 1 }
        }
        list.replace(with: [Station(id: 0)])
        #expect(received.count == 200)
        #expect(received.all.last == (0..<200).reversed())
        #expect(received.all.map(\.count) == Array(1...200))
        observation.dispose()
    }

    @Test func observerReceivesItsChangeOfAnElementOnce() {
        let list = cache.list("list", of: Station.self)
        let received = Recorder<[Int]>()
        let cache = cache
        let observation = list.observe { stations in
            received.append(stations.map(\.revision))
            if stations.first?.revision == 0 { cache.touch(1) }
        }
        list.replace(with: [Station(id: 1), Station(id: 2)])
        #expect(received.all == [[0, 0], [1, 0]])
        observation.dispose()
    }

    @Test func observerMayEndItsObservationAndBeginAnother() {
        let list = cache.list("list", of: Station.self)
        let received = Recorder<String>()
        let tokens = Locked<[Disposable]>([])
        let first = list.observe { _ in
            received.append("first")
            for token in tokens.withLock({ $0 }) { token.dispose() }
            let second = list.observe { received.append("second \($0.count)") }
            tokens.withLock { $0 = [second] }
        }
        tokens.withLock { $0 = [first] }
        list.replace(with: [Station(id: 1)])
        list.removeAll()
        #expect(received.all == ["first", "second 0"])
        for token in tokens.withLock({ $0 }) { token.dispose() }
        #expect(cache.core.watchedCount == 0)
    }

    @Test func observerReadsTheReportedStateOrANewerOne() {
        let list = cache.list("list", of: Station.self)
        let versions = Recorder<(told: UInt64, visible: UInt64)>()
        let cache = cache
        let observation = list.observeChanges { change in
            versions.append((change.version, cache.version))
            #expect(list.ids == change.ids)
        }
        list.replace(with: [Station(id: 1), Station(id: 2)])
        list.move(2, to: 0)
        cache.touch(1)
        #expect(versions.all.map(\.told) == [1, 2, 3])
        #expect(versions.all.allSatisfy { $0.visible >= $0.told })
        observation.dispose()
    }
}
