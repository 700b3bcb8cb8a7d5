import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests writes to lists in batches and in the closures of updates.
@Suite(.exclusive)
struct CachedListBatchingTests {
    struct Refusal: Error, Equatable {}

    let cache = Cache()
    let list: CachedList<Book>

    init() {
        list = cache.list("list", of: Book.self)
        list.replace(with: [Book(id: 1, title: "A"), Book(id: 2, title: "B")])
    }

    /// Writes to the list with each of its methods.
    private func writeAll() {
        list.append(contentsOf: [Book(id: 3), Book(id: 1, title: "A, again")])
        list.insert(Book(id: 4), at: 0)
        list.move(2, to: 0)
        list.remove(1)
        list.update { $0.append(5) }
    }

    @Test func inABatchAllIsOneCommitAndNothingIsVisibleBefore() {
        let version = cache.version
        cache.performBatchUpdates { batch in
            writeAll()
            #expect(list.ids == [1, 2])
            #expect(list.elements.map(\.title) == ["A", "B"])
            #expect(cache[Book.self, 3] == nil)
            #expect(batch[Book.self, 1]?.title == "A, again")
            let written = list.update { $0 }
            #expect(written == [2, 4, 3, 5], "The list's own writes build on each other.")
        }
        #expect(cache.version == version + 1)
        #expect(list.ids == [2, 4, 3, 5])
        #expect(cache[Book.self, 1]?.title == "A, again")
        cache.core.checkInvariants()
    }

    @Test func listOfABatchShowsItsWrites() {
        cache.performBatchUpdates { batch in
            let inside = batch.list("list", of: Book.self)
            #expect(inside.ids == [1, 2])
            inside.append(contentsOf: [Book(id: 3, title: "C"), Book(id: 1, title: "A, again")])
            #expect(inside.ids == [1, 2, 3])
            #expect(inside.elements.map(\.title) == ["A, again", "B", "C"])
            // A write through another handle to the same list.
            list.remove(2)
            #expect(inside.ids == [1, 3])
            #expect(list.ids(in: batch) == [1, 3])
            #expect(list.elements(in: batch).map(\.title) == ["A, again", "C"])
            #expect(list.ids == [1, 2])
            batch.remove(Book.self, id: 1)
            #expect(inside.elements.map(\.title) == ["C"])
            inside.ids = [3, 1]
            inside.replace(withIDs: [1, 3, 1])
            #expect(inside.ids == [1, 3])
        }
        #expect(list.ids == [1, 3])
        #expect(list.elements.map(\.id) == [3])
    }

    @Test func genericFunctionWritesAListThroughACacheOrABatch() {
        func addPage(_ books: [Book], to cache: some CacheType) -> [Book.ID] {
            let list = cache.list("list", of: Book.self)
            list.append(contentsOf: books)
            return list.ids
        }
        #expect(addPage([Book(id: 3)], to: cache) == [1, 2, 3])
        cache.performBatchUpdates { #expect(addPage([Book(id: 4)], to: $0) == [1, 2, 3, 4]) }
        #expect(list.ids == [1, 2, 3, 4])
    }

    @Test func snapshotShowsTheListOfItsVersion() {
        cache.withSnapshot { snapshot in
            list.replace(with: [Book(id: 2, title: "B, again")])
            #expect(list.ids(in: snapshot) == [1, 2])
            #expect(list.elements(in: snapshot).map(\.title) == ["A", "B"])
        }
        #expect(list.elements.map(\.title) == ["B, again"])
    }

    @Test func batchThatThrowsRollsBackListAndValues() {
        let version = cache.version
        #expect(throws: Refusal.self) {
            try cache.performBatchUpdates { _ in
                writeAll()
                list.removeAll()
                throw Refusal()
            }
        }
        #expect(cache.version == version)
        #expect(list.ids == [1, 2])
        #expect(list.elements.map(\.title) == ["A", "B"])
        #expect(cache.count(of: Book.self) == 2)
        cache.core.checkInvariants()
    }

    @Test func innerBatchThatThrowsRollsBackItsWritesToTheList() {
        cache.performBatchUpdates { _ in
            list.append(contentsOf: [Book(id: 3)])
            #expect(throws: Refusal.self) {
                try cache.performBatchUpdates { _ in
                    writeAll()
                    throw Refusal()
                }
            }
            list.append(contentsOf: [Book(id: 7)])
        }
        #expect(list.ids == [1, 2, 3, 7])
        #expect(!cache.contains(Book.self, id: 4))
        cache.core.checkInvariants()
    }

    @Test func listThatEndsABatchAsItBeganChangesNothing() {
        let version = cache.version
        let received = Recorder<[Book.ID]>()
        let observation = list.observe { received.append($0.map(\.id)) }
        cache.performBatchUpdates { _ in
            list.ids = [2, 1]
            list.removeAll()
            list.ids = [1, 2]
        }
        #expect(cache.version == version)
        #expect(received.all == [])
        observation.dispose()
    }

    @Test func anotherThreadSeesNothingOfABatchBeforeItsEnd() {
        let seen = Recorder<[Book.ID]>()
        cache.performBatchUpdates { _ in
            writeAll()
            let ended = onThreads(1) { _ in
                seen.append(list.ids)
                seen.append(list.elements.map(\.id))
            }
            #expect(ended)
            #expect(cache.isSettled())
        }
        #expect(seen.all == [[1, 2], [1, 2]])
    }

    @Test func writesInAnUpdatesClosureJoinItsCommit() {
        let version = cache.version
        let other = cache.list("other", of: Book.self)
        let titles = Recorder<[String?]>()
        let observation = list.observe { titles.append($0.map(\.title)) }
        list.update { ids in
            cache.set(Book(id: 3, title: "C"))
            cache.update(Book.self, id: 1) { $0.title = "A, again" }
            other.append(contentsOf: [Book(id: 3)])
            ids.append(3)
            #expect(list.ids == [1, 2])
            #expect(other.ids == [])
            #expect(cache[Book.self, 3] == nil)
        }
        #expect(cache.version == version + 1)
        #expect(titles.all == [["A, again", "B", "C"]])
        #expect(other.ids == [3])
        cache.core.checkInvariants()
        observation.dispose()
    }

    @Test func errorThrownInAnUpdateChangesNothing() {
        let version = cache.version
        let received = Recorder<Int>()
        let observation = list.observe { received.append($0.count) }
        let error = #expect(throws: Refusal.self) {
            try list.update { ids throws(Refusal) in
                ids.append(3)
                cache.set(Book(id: 3))
                cache.remove(Book.self, id: 1)
                throw Refusal()
            }
        }
        #expect(error == Refusal())
        #expect(cache.version == version)
        #expect(list.ids == [1, 2])
        #expect(cache[Book.self, 1]?.title == "A")
        #expect(!cache.contains(Book.self, id: 3))
        #expect(received.count == 0)
        cache.core.checkInvariants()
        observation.dispose()
    }

    @Test func updateThatThrowsInABatchRollsBackOnlyItsOwnWrites() {
        cache.performBatchUpdates { batch in
            batch.set(Book(id: 8))
            try? list.update { ids in
                ids = []
                cache.set(Book(id: 9))
                throw Refusal()
            }
            list.append(contentsOf: [Book(id: 3)])
        }
        #expect(list.ids == [1, 2, 3])
        #expect(cache.contains(Book.self, id: 8))
        #expect(!cache.contains(Book.self, id: 9))
        cache.core.checkInvariants()
    }

    @Test func updatesResultOverwritesWritesToTheSameList() {
        list.update { ids in
            list.append(contentsOf: [Book(id: 3)])
            ids.append(4)
        }
        #expect(list.ids == [1, 2, 4])
        list.update { _ in
            list.append(contentsOf: [Book(id: 5)])
        }
        #expect(list.ids == [1, 2, 4])
        #expect(cache.contains(Book.self, id: 3))
        #expect(cache.contains(Book.self, id: 5))
        cache.core.checkInvariants()
    }

    @Test func updateOfAnElementMayChangeTheList() {
        cache.update(Book.self, id: 1) { book in
            book.title = "first"
            list.remove(2)
        }
        #expect(list.ids == [1])
        #expect(list.elements.map(\.title) == ["first"])
    }
}
