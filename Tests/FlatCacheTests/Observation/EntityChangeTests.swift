import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct EntityChangeTests {
    private func change(_ new: Book?) -> EntityChange<Book> {
        EntityChange(id: 1, kind: .updated, old: nil, new: new, causes: [], version: 3)
    }

    @Test func hasTheKeyOfTheObservedEntity() {
        #expect(change(nil).key == CacheKey(Book.self, id: 1))
    }

    @Test func isEquatableIfItsValuesAre() {
        #expect(change(Book(id: 1)) == change(Book(id: 1)))
        #expect(change(Book(id: 1)) != change(Book(id: 1, title: "A")))
        #expect(change(Book(id: 1)) != change(nil))
    }

    @Test func comparesAllProperties() {
        let book = Book(id: 1, title: "A")
        func change(
            id: Int = 1,
            kind: EntityChange<Book>.Kind = .updated,
            old: Book? = nil,
            causes: Set<CacheKey>? = nil,
            version: UInt64 = 3
        ) -> EntityChange<Book> {
            EntityChange(id: id, kind: kind, old: old, new: book, causes: causes, version: version)
        }
        #expect(change() == change())
        #expect(change() != change(id: 2))
        #expect(change() != change(kind: .related))
        #expect(change() != change(old: book))
        #expect(change() != change(version: 4))
        #expect(change() != change(causes: []))
        #expect(change() != change(causes: [CacheKey(Book.self, id: 2)]))
        #expect(change() == change(causes: [CacheKey(Book.self, id: 1)]))
    }

    @Test func withoutOthersItsCauseIsTheEntityItself() {
        let change = EntityChange<Book>(
            id: 1,
            kind: .removed(.explicit),
            old: nil,
            new: nil,
            version: 1
        )
        #expect(change.causes == [CacheKey(Book.self, id: 1)])
    }

    @Test func batchIsOneChangeFromTheFirstValueToTheLast() {
        let cache = Cache()
        cache.set(Book(id: 1, title: "A"))
        let changes = Recorder<EntityChange<Book>>()
        let observation = cache.cached(Book.self, id: 1).observeChanges { changes.append($0) }
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
