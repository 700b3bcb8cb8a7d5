import Observation
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests loops that read an entity again after each notification of a change.
///
/// `withObservationTracking` installs its tracker after the first closure has returned. A loop that
/// must not miss changes by other threads therefore needs notifications on the actor on which that
/// closure runs.
@Suite(.exclusive)
@MainActor
struct ObservedCachedLoopTests {
    let cache = Cache()
    let writes = 3_000

    private var observable: Observed<Cached<Station>> {
        Observed(
            cache.cached(Station.self, id: 1),
            delivery: .isolated(to: MainActor.shared)
        )
    }

    @Test(.timeLimit(.minutes(15)))
    func changeDuringATrackedReadNotifies() async {
        cache.set(Station(id: 1))
        let observable = observable
        let isTold = Signal()
        let read = withObservationTracking {
            let value = observable.value
            let writer = RunningThread { [cache] in cache.touch(1) }
            #expect(writer.wait())
            return value
        } onChange: {
            MainActor.preconditionIsolated()
            isTold.fire()
        }
        #expect(read?.revision == 0)
        #expect(await until { isTold.isFired })
    }

    @Test(.timeLimit(.minutes(15)))
    func loopMissesNoChangeAndEndsWithTheLastValue() async {
        let observable = observable
        let writer = RunningThread { [cache, writes] in
            for revision in 1...writes { cache.set(Station(id: 1, revision: revision)) }
        }
        var seen: [Int] = []
        while seen.last != writes {
            let isTold = Signal()
            let value = withObservationTracking {
                observable.value
            } onChange: {
                isTold.fire()
            }
            if let value { seen.append(value.revision) }
            if seen.last == writes { break }
            guard await until({ isTold.isFired }) else { break }
        }
        #expect(seen.last == writes)
        #expect(seen == seen.sorted())
        #expect(writer.wait())
    }

    @Test(.timeLimit(.minutes(15)))
    func eachOfManyLastChangesIsSeen() async {
        // The loop could wait in vain for the last change of each round.
        cache.set(Station(id: 1))
        let observable = observable
        for round in 1...500 {
            let writer = RunningThread { [cache] in cache.set(Station(id: 1, revision: round)) }
            while true {
                let isTold = Signal()
                let value = withObservationTracking {
                    observable.value
                } onChange: {
                    isTold.fire()
                }
                if value?.revision == round { break }
                guard await until({ isTold.isFired }) else {
                    Issue.record("The change to \(round) was missed.")
                    return
                }
            }
            #expect(await until { writer.hasEnded })
        }
    }

    @Test(.timeLimit(.minutes(15)))
    func observationsEndWithTheLastValue() async {
        let observable = observable
        let values = Observations { observable.value?.revision }
        let writer = RunningThread { [cache, writes] in
            for revision in 1...writes { cache.set(Station(id: 1, revision: revision)) }
        }
        var seen: [Int] = []
        for await case let revision? in values {
            seen.append(revision)
            if revision == writes { break }
        }
        #expect(seen.last == writes)
        #expect(seen == seen.sorted())
        #expect(await until { writer.hasEnded })
    }

    @Test(.timeLimit(.minutes(15)))
    func observationsSeeEachOfManyLastChanges() async {
        cache.set(Station(id: 1))
        let observable = observable
        var writers: [RunningThread] = []
        let rounds = 500
        for await case let revision? in Observations({ observable.value?.revision }) {
            if revision == rounds { break }
            // The write may commit before, while or after the sequence tracks again.
            writers.append(
                RunningThread { [cache] in cache.set(Station(id: 1, revision: revision + 1)) }
            )
        }
        #expect(cache[Station.self, 1]?.revision == rounds)
        #expect(await until { writers.allSatisfy(\.hasEnded) })
    }
}
