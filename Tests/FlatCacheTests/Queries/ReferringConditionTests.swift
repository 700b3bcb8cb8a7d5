import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests of conditions on the entities that refer to the elements of a query.
///
/// `QueryOracleTests` compares such queries with naive results.
struct ReferringConditionTests {
    let cache = Cache()

    /// The authors with a book from 1970 or later.
    private var recent: CachedQuery<Author> {
        cache.query(Author.self).where(Book.byAuthor) { $0.contains { $0.year ?? 0 >= 1970 } }
    }

    init() {
        cache.set(contentsOf: ["a", "b", "c"].map { Author(id: $0, name: $0) })
        cache.set(contentsOf: [
            Book(id: 1, year: 1968, author: "a"), Book(id: 2, year: 1974, author: "b"),
        ])
    }

    @Test("A query finds the entities by those that refer to them, in every state")
    func reads() {
        let others = cache.query(Author.self).where(Book.byAuthor) { $0.isEmpty }
        #expect(recent.ids == ["b"])
        #expect(others.ids == ["c"])
        cache.withSnapshot { snapshot in
            cache.set(Book(id: 3, year: 2000, author: "c"))
            #expect(recent.ids == ["b", "c"])
            #expect(recent.ids(in: snapshot) == ["b"])
            #expect(others.ids(in: snapshot) == ["c"])
        }
        cache.performBatchUpdates { batch in
            batch.remove(Book.self, id: 2)
            #expect(recent.ids(in: batch) == ["c"])
            #expect(others.ids(in: batch) == ["b"])
            #expect(recent.ids == ["b", "c"])
        }
        #expect(others.ids == ["b"])
    }

    @Test("A snapshot from before the index shows its state")
    func olderSnapshot() {
        cache.withSnapshot { snapshot in
            cache.set(Book(id: 3, year: 2000, author: "c"))
            #expect(recent.ids == ["b", "c"])
            #expect(recent.ids(in: snapshot) == ["b"])
        }
    }

    @Test("An observed query changes in the commit that changes a referring entity")
    func observation() {
        let changes = Recorder<[String]>()
        let observation = recent.observeChanges { changes.append($0.ids) }
        cache.update(Book.self, id: 1) { $0.year = 1971 }
        #expect(changes.all == [["a", "b"]])
        // The author remains in the result.
        cache.update(Book.self, id: 1) { $0.year = 1972 }
        cache.set(Book(id: 3, year: 1950, author: "c"))
        #expect(changes.all.count == 1)
        cache.update(Book.self, id: 2) { $0.author = Related("c") }
        #expect(changes.all.last == ["a", "c"])
        cache.removeAll(Book.self)
        #expect(changes.all.last == [])
        cache.set(Book(id: 1, year: 2000, author: "d"))
        #expect(changes.all.count == 3)
        // The author comes after the book.
        cache.set(Author(id: "d", name: "d"))
        #expect(changes.all.last == ["d"])
        observation.dispose()
        cache.core.checkInvariants()
    }

    @Test("A change evaluates the condition for the referred entity alone")
    func evaluations() {
        let evaluations = Recorder<Int>()
        let token = cache.query(Author.self)
            .where(Book.byAuthor) { books in
                evaluations.append(books.count)
                return books.contains { $0.year ?? 0 >= 1970 }
            }
            .keepCurrent()
        for id in 0..<100 { cache.set(Author(id: "\(id)", name: "")) }
        evaluations.removeAll()
        cache.set(Book(id: 3, year: 2000, author: "7"))
        // The states before and after the commit.
        #expect(evaluations.all == [0, 1])
        token.dispose()
    }

    @Test("A condition can read other entities")
    func reading() {
        let query = cache.query(Author.self).where(Book.byAuthor) { books, cache in
            books.contains { $0.sequel.flatMap { cache[$0] }?.year == 2000 }
        }
        let token = query.keepCurrent()
        cache.update(Book.self, id: 1) { $0.sequel = Related(7) }
        #expect(query.ids == [])
        cache.set(Book(id: 7, year: 2000))
        #expect(query.ids == ["a"])
        cache.remove(Book.self, id: 7)
        #expect(query.ids == [])
        token.dispose()
    }

    @Test("Entities with equal hashes have their own referring entities", arguments: [false, true])
    func equalHashes(isCurrent: Bool) {
        let cache = Cache()
        let first = Room.ID(tenant: 1, number: 5)
        let second = Room.ID(tenant: 2, number: 5)
        cache.set(contentsOf: [Room(id: first), Room(id: second)])
        let occupied = cache.query(Room.self).where(Guest.byRoom) { !$0.isEmpty }
        let token = isCurrent ? occupied.keepCurrent() : nil
        cache.set(Guest(id: 1, room: Related(first)))
        #expect(occupied.ids == [first])
        cache.performBatchUpdates { batch in
            batch.set(Guest(id: 1, room: Related(second)))
            #expect(occupied.ids(in: batch) == [second])
        }
        token?.dispose()
    }
}

private struct Room: Identifiable, Sendable {
    struct ID: Hashable, Sendable {
        let tenant: Int
        let number: Int

        func hash(into hasher: inout Hasher) { hasher.combine(number) }
    }

    let id: ID
}

private struct Guest: Identifiable, Sendable {
    static let byRoom = CacheIndex("room", \Guest.room)

    let id: Int
    var room: Related<Room>
}
