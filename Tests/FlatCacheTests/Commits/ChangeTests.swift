import Testing

@testable import FlatCache

struct ChangeTests {
    private func change(_ new: Book?) -> Change<Book> {
        Change(id: 1, kind: .updated, old: nil, new: new, causes: [], version: 3)
    }

    @Test func tellsTheKeyOfTheObservedEntity() {
        #expect(change(nil).key == CacheKey(Book.self, id: 1))
    }

    @Test func comparesWhereItsValuesDo() {
        #expect(change(Book(id: 1)) == change(Book(id: 1)))
        #expect(change(Book(id: 1)) != change(Book(id: 1, title: "A")))
        #expect(change(Book(id: 1)) != change(nil))
    }

    @Test func aBatchIsOneChangeFromTheFirstValueToTheLast() {
        let cache = Cache()
        cache.set(Book(id: 1, title: "A"))
        let changes = Recorder<Change<Book>>()
        let observation = cache.observeChanges(Book.self, id: 1) { changes.append($0) }
        cache.performBatchUpdates { batch in
            batch.set(Book(id: 1, title: "B"))
            cache.performBatchUpdates { $0.set(Book(id: 1, title: "C")) }
            batch.remove(Book.self, id: 1)
            batch.set(Book(id: 1, title: "D"))
        }
        #expect(changes.all.map(\.kind) == [.updated])
        #expect(changes.all.map { $0.old?.title } == ["A"])
        #expect(changes.all.map { $0.new?.title } == ["D"])
        observation.dispose()
    }
}
