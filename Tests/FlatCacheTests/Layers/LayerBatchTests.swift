import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests of layers in batches and snapshots, and of the reads of their confirmed states.
struct LayerBatchTests {
    private let cache = Cache()

    private struct Refusal: Error {}

    @Test(arguments: [false, true])
    func aBatchThatThrowsRestoresTheLayers(isNested: Bool) {
        cache.set(contentsOf: [Book(id: 1, title: "a", year: 1), Book(id: 2, title: "a")])
        let title = cache.beginLayer("1") { $0.update(Book.self, id: 1) { $0.title = "b" } }
        let year = cache.beginLayer("2") { $0.update(Book.self, id: 1) { $0.year = 2 } }
        let deletion = cache.beginLayer("3") { $0.remove(Book.self, id: 2) }
        let server = Book(id: 1, title: "server", year: 9)
        func change(_ batch: CacheBatch) throws {
            let addition = batch.beginLayer("4") { $0.set(Book(id: 3, title: "c")) }
            try year.confirm()
            #expect(batch.confirmed[Book.self, 1]?.year == 2)
            try title.change { $0.update(Book.self, id: 1) { $0.title = "c" } }
            batch.set(Book(id: 1, title: "d", year: 8))
            #expect(batch[Book.self, 1] == Book(id: 1, title: "c", year: 2))
            title.rollBack()
            deletion.rollBack()
            batch.remove(Book.self, id: 2)
            try addition.replace { $0.set(Book(id: 4, title: "c")) }
            #expect(batch.ids(of: Book.self).sorted() == [1, 4])
            throw Refusal()
        }
        if isNested {
            cache.performBatchUpdates { batch in
                batch.set(server)
                #expect(batch[Book.self, 1] == Book(id: 1, title: "b", year: 2))
                try? batch.performBatchUpdates { try change($0) }
                #expect(batch[Book.self, 1] == Book(id: 1, title: "b", year: 2))
                #expect(batch.confirmed[Book.self, 1] == server)
                #expect(batch.ids(of: Book.self) == [1])
            }
        } else {
            try? cache.performBatchUpdates { try change($0) }
        }
        #expect(title.isOpen && year.isOpen && deletion.isOpen)
        #expect(cache.pendingLayers.elements.map(\.label) == ["1", "2", "3"])
        #expect(cache.values(of: Book.self) == [Book(id: 1, title: "b", year: 2)])
        for layer in [year, title, deletion] { layer.rollBack() }
        #expect(cache[Book.self, 1] == (isNested ? server : Book(id: 1, title: "a", year: 1)))
        #expect(cache[Book.self, 2] != nil)
        #expect(cache.count(of: ConfirmedState.self) == 0)
        cache.core.checkInvariants()
    }

    @Test func readsInsideTheClosureOfAnUpdateShowVisibleValues() {
        cache.set(Book(id: 1, title: "a"))
        cache.list("all", of: Book.self).ids = [1]
        let layer = cache.beginLayer("1") { layer in
            layer.update(Book.self, id: 1) { $0.title = "b" }
            layer.list("all", of: Book.self).append(2)
        }
        cache.performBatchUpdates { batch in
            batch.update(Book.self, id: 1) { book in
                #expect(book.title == "a")
                #expect(batch[Book.self, 1]?.title == "b")
                book.year = 5
            }
            batch.list("all", of: Book.self).update { ids in
                #expect(ids == [1])
                #expect(batch.list("all", of: Book.self).ids == [1, 2])
                ids.append(3)
            }
        }
        #expect(cache[Book.self, 1] == Book(id: 1, title: "b", year: 5))
        #expect(cache.list("all", of: Book.self).ids == [1, 3, 2])
        layer.rollBack()
        #expect(cache[Book.self, 1] == Book(id: 1, title: "a", year: 5))
        #expect(cache.list("all", of: Book.self).ids == [1, 3])
    }

    @Test func writesReturnConfirmedValues() {
        cache.set(Book(id: 1, title: "a", year: 1))
        let layer = cache.beginLayer("1") { $0.update(Book.self, id: 1) { $0.title = "b" } }
        #expect(cache.replace(Book(id: 1, title: "c")) == Book(id: 1, title: "c"))
        #expect(cache[Book.self, 1] == Book(id: 1, title: "b"))
        #expect(cache.set(Book(id: 1, year: 4)) == Book(id: 1, title: "c", year: 4))
        let updated = cache.update(Book.self, id: 1) { $0.year = 5 }
        #expect(updated == Book(id: 1, title: "c", year: 5))
        #expect(cache.set(contentsOf: [Book(id: 1, year: 6)]).map(\.title) == ["c"])
        #expect(cache.remove(Book.self, id: 1) == Book(id: 1, title: "c", year: 6))
        #expect(cache[Book.self, 1] == nil)
        cache.set(Book(id: 1, year: 7))
        #expect(cache[Book.self, 1] == Book(id: 1, title: "b", year: 7))
        layer.rollBack()
    }

    @Test func confirmedReadsOfAllKindsShowNoEdits() {
        cache.set(contentsOf: (1...3).map { Book(id: $0, year: $0) })
        let (alias, list) = (cache.alias("latest", of: Book.self), cache.list("all", of: Book.self))
        alias.target = 1
        list.ids = [1, 2]
        let layer = cache.beginLayer("1") { layer in
            layer.update(Book.self, id: 1) { $0.year = 10 }
            layer.remove(Book.self, id: 3)
            layer.set(Book(id: 4, year: 4))
            layer.list("all", of: Book.self).append(4)
            layer.setAlias("latest", of: Book.self, to: 4)
        }
        func check(_ cache: some ReadableCache) {
            #expect(cache.count(of: Book.self) == 3)
            #expect(cache.ids(of: Book.self).sorted() == [1, 2, 3])
            #expect(Set(cache.values(of: Book.self).map(\.year)) == [1, 2, 3])
            #expect(cache.contains(Book.self, id: 3))
            #expect(!cache.contains(Book.self, id: 4))
            #expect(list.elements(in: cache).map(\.year) == [1, 2])
            #expect(alias.value(in: cache)?.year == 1)
            #expect(Related<Book>(1).value(in: cache)?.year == 1)
        }
        check(cache.confirmed)
        cache.withSnapshot { check($0.confirmed) }
        cache.performBatchUpdates { check($0.confirmed) }
        layer.rollBack()
        check(cache)
    }

    @Test func snapshotsShowTheStatesOfTheirTime() throws {
        cache.set(Book(id: 1, year: 1))
        cache.withSnapshot { before in
            let layer = cache.beginLayer("1") { layer in
                layer.update(Book.self, id: 1) { $0.year = 2 }
                layer.set(Book(id: 2, year: 2))
            }
            cache.withSnapshot { begun in
                cache.set(Book(id: 1, year: 3))
                cache.withSnapshot { written in
                    try? layer.confirm()
                    cache.remove(Book.self, id: 1)
                    func years(_ snapshot: CacheSnapshot) -> [Int?] {
                        [snapshot[Book.self, 1]?.year, snapshot.confirmed[Book.self, 1]?.year]
                    }
                    #expect(years(before) == [1, 1])
                    #expect(years(begun) == [2, 1])
                    #expect(years(written) == [2, 3])
                    #expect(before.count(of: Book.self) == 1)
                    #expect(begun.count(of: Book.self) == 2)
                    #expect(written.confirmed.count(of: Book.self) == 1)
                }
            }
        }
        #expect(cache.ids(of: Book.self) == [2])
        cache.core.checkInvariants()
    }
}
