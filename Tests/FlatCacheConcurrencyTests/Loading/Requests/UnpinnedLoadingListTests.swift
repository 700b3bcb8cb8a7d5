import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests of loading lists that don't pin their elements.
@Suite(.timeLimit(.minutes(20)))
struct UnpinnedLoadingListTests {
    @Test("A loading list whose elements were evicted is loaded again")
    func evictedElements() async {
        let run = RequestRun { $0.limit(Book.self, .count(2)) }
        let (cache, calls) = (run.cache, Recorder<String?>())
        let list = cache.list("feed", of: Book.self, pinsElements: false)
        let feed = list.loading { cursor in
            calls.append(cursor)
            return ListPage((1...5).map { Book(id: $0) }, next: nil)
        }
        let first = feed.observe { _ in }
        #expect(await until { feed.elements.count == 5 && feed.loadState.name == "idle" })
        first.dispose()
        for id in 10..<20 { cache.set(Book(id: id)) }
        #expect(feed.elements.isEmpty)
        let second = feed.observe { _ in }
        #expect(await until(limit: .seconds(30)) { feed.elements.count == 5 })
        #expect(await until { feed.loadState.name == "idle" })
        #expect(calls.count == 2)
        second.dispose()
    }
}
