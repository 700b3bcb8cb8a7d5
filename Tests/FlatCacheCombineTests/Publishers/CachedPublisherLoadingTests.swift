#if canImport(Combine) || OpenCombine

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif
import FlatCache
import FlatCacheCombine
import Testing

/// Tests publishers of loading handles.
struct CachedPublisherLoadingTests {
    let cache = Cache()
    let calls = Locked(0)
    let canAnswer = Locked(false)

    init() {
        // A subscriber receives the state before the load only if the answer takes longer than the
        // subscription.
        cache.setLoader(for: Book.self, gathering: .zero) { [calls, canAnswer] ids in
            calls.withLock { $0 += 1 }
            _ = await until { canAnswer.withLock { $0 } }
            return ids.map { Book(id: $0, revision: 7) }
        }
    }

    private var callCount: Int { calls.withLock { $0 } }

    @Test(.timeLimit(.minutes(15)))
    func subscriptionToTheValueLoads() async {
        let handle = cache.cached(Book.self, id: 1).loading()
        let publisher = handle.publisher
        #expect(!handle.loadState.isLoading)
        let received = Locked<[Int?]>([])
        let subscription = publisher.sink { book in
            received.withLock { $0.append(book?.revision) }
        }
        #expect(received.withLock { $0 } == [nil])
        canAnswer.withLock { $0 = true }
        #expect(await until { received.withLock { $0.count } == 2 && !handle.loadState.isLoading })
        #expect(received.withLock { $0 } == [nil, 7])
        cache.invalidate(Book.self, id: 1)
        #expect(await until { callCount == 2 && !handle.loadState.isLoading })
        #expect(cache.freshness(of: Book.self, id: 1).isFresh)
        subscription.cancel()
        cache.invalidate(Book.self, id: 1)
        #expect(!handle.loadState.isLoading)
        #expect(callCount == 2)
    }

    @Test(.timeLimit(.minutes(15)))
    func subscriptionToTheStateLoadsNothingButShowsTheLoad() async {
        let handle = cache.cached(Book.self, id: 1).loading()
        let states = Locked<[Bool]>([])
        let progress = handle.loadStates.publisher.sink { state in
            states.withLock { $0.append(state.isLoading) }
        }
        #expect(states.withLock { $0 } == [false])
        #expect(!handle.loadState.isLoading)
        let subscription = handle.publisher.sink { _ in }
        #expect(await until { states.withLock { $0 } == [false, true] })
        canAnswer.withLock { $0 = true }
        #expect(await until { states.withLock { $0.count } == 3 })
        #expect(states.withLock { $0 } == [false, true, false])
        #expect(callCount == 1)
        subscription.cancel()
        progress.cancel()
    }
}

#endif
