import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct CacheTrimmingTests {
    private func cache(withLimits: Bool) -> Cache {
        var configuration = CacheConfiguration()
        if withLimits { configuration.limit(Note.self, .count(10_000)) }
        let cache = Cache(configuration: configuration)
        cache.set(contentsOf: (0..<100).map { Note(id: $0, text: "") })
        cache.set(contentsOf: (0..<50).map { Station(id: $0) })
        return cache
    }

    @Test(arguments: [false, true])
    func partOfEachTypeIsLeft(withLimits: Bool) {
        let cache = cache(withLimits: withLimits)
        #expect(cache.trim(to: .fraction(0.5)) == 75)
        #expect(cache.count(of: Note.self) == 50)
        #expect(cache.count(of: Station.self) == 25)
        #expect(cache.trim(to: .fraction(1)) == 0)
        #expect(cache.trim(to: .fraction(0)) == 75)
        #expect(cache.count(of: Note.self) == 0)
        #expect(cache.trim(to: .fraction(0)) == 0)
        cache.core.checkInvariants()
    }

    @Test(arguments: [false, true])
    func numberIsLeftInProportion(withLimits: Bool) {
        let cache = cache(withLimits: withLimits)
        cache.trim(to: .count(30))
        #expect(cache.count(of: Note.self) == 20)
        #expect(cache.count(of: Station.self) == 10)
        #expect(cache.trim(to: .count(30)) == 0)
        #expect(cache.trim(to: .count(1_000)) == 0)
        cache.trim(to: .count(0))
        #expect(cache.count(of: Note.self) + cache.count(of: Station.self) == 0)
        cache.core.checkInvariants()
    }

    @Test(arguments: [false, true])
    func valuesInUseStay(withLimits: Bool) {
        let cache = cache(withLimits: withLimits)
        let list = cache.list("list", of: Station.self)
        list.ids = [7]
        let tokens = [
            cache.cached(Note.self, id: 1).observe { _ in }, cache.pin(Note.self, id: 2),
            cache.cached(Station.self, id: 9).following(.none).observe { _ in },
        ]
        cache.trim(to: .fraction(0))
        #expect(cache.ids(of: Note.self).sorted() == [1, 2])
        #expect(cache.ids(of: Station.self).sorted() == [7, 9])
        #expect(list.ids == [7])
        list.ids = []
        cache.trim(to: .fraction(0))
        #expect(cache.ids(of: Station.self).sorted() == [9])
        for token in tokens { token.dispose() }
        cache.core.checkInvariants()
    }

    @Test("The number of trimmed values includes those that the limit evicts in the same commits")
    func evictionsByTheLimitCount() {
        let cache = Cache()
        cache.set(contentsOf: (0..<10_000).map { Station(id: $0) })
        cache.limit(Station.self, .count(8_000))
        #expect(cache.trim(to: .count(5_000)) == 5_000)
        #expect(cache.count(of: Station.self) == 5_000)
        cache.core.checkInvariants()
    }

    @Test("Trimming below a limit counts all values")
    func trimmingBelowALimit() {
        let cache = Cache()
        cache.set(contentsOf: (0..<10_000).map { Station(id: $0) })
        cache.limit(Station.self, .count(10))
        let count = cache.count(of: Station.self)
        #expect(cache.trim(to: .count(0)) == count)
        #expect(cache.count(of: Station.self) == 0)
    }

    @Test func trimmingRemovesReadValuesLast() {
        let cache = cache(withLimits: true)
        for id in stride(from: 0, to: 100, by: 4) { _ = cache.get(Note.self, id: id) }
        cache.trim(to: .fraction(0.25))
        #expect(cache.ids(of: Note.self).sorted() == Array(stride(from: 0, to: 100, by: 4)))
    }

    @Test func trimmingMakesCommitsWithAReason() {
        let cache = Cache()
        cache.set(contentsOf: (0..<3_000).map { Station(id: $0) })
        let commits = Recorder<TypeChanges<Station>>()
        let token = cache.observeAll(Station.self) { commits.append($0) }
        #expect(cache.trim(to: .fraction(0)) == 3_000)
        #expect(commits.all.count == 3)
        #expect(commits.all.allSatisfy { $0.changes.count <= 1_024 })
        let kinds = Set(commits.all.flatMap { $0.changes.map(\.kind) })
        #expect(kinds == [.removed(.evicted)])
        token.dispose()
    }
}
