import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests the removal of owned values together with their owner.
struct CacheOwnershipTests {
    struct Order: Identifiable, OwnsCachedValues, Sendable {
        let id: Int
        var lines: [Int] = []
        var parts: [Int] = []

        var ownedCacheKeys: Set<CacheKey> {
            Set(lines.map { CacheKey(Note.self, id: $0) })
                .union(parts.map { CacheKey(Order.self, id: $0) })
        }
    }

    let cache = Cache()

    private func setNotes(_ ids: [Int]) {
        cache.set(contentsOf: ids.map { Note(id: $0, text: "") })
    }

    @Test func ownedEntitiesAreRemovedInTheSameCommitForTheSameReason() {
        setNotes([1, 2, 3])
        cache.set(Order(id: 1, lines: [1, 2, 9]))
        let commits = Recorder<TypeChanges<Note>>()
        let token = cache.observeAll(Note.self) { commits.append($0) }
        let version = cache.version
        cache.remove(Order.self, id: 1)
        #expect(cache.ids(of: Note.self) == [3])
        #expect(cache.version == version + 1)
        #expect(commits.all.count == 1)
        #expect(Set(commits.all.flatMap { $0.changes.map(\.id) }) == [1, 2])
        #expect(commits.all.first?.changes.allSatisfy { $0.kind == .removed(.explicit) } ?? false)
        token.dispose()
    }

    @Test func ownersOfOwnersAndCyclesEnd() {
        setNotes([1, 2])
        cache.set(contentsOf: [
            Order(id: 1, lines: [1], parts: [2]), Order(id: 2, lines: [2], parts: [3]),
            Order(id: 3, parts: [1]), Order(id: 4),
        ])
        cache.remove(Order.self, id: 2)
        #expect(cache.ids(of: Order.self) == [4])
        #expect(cache.count(of: Note.self) == 0)
        cache.core.checkInvariants()
    }

    @Test func removingAllOfATypeAndAHandlesNilCascade() {
        setNotes([1, 2])
        cache.set(contentsOf: [Order(id: 1, lines: [1]), Order(id: 2, lines: [2])])
        cache.cached(Order.self, id: 1).value = nil
        #expect(cache.ids(of: Note.self) == [2])
        cache.removeAll(Order.self)
        #expect(cache.count(of: Note.self) == 0)
        setNotes([1])
        cache.set(Order(id: 1, lines: [1]))
        #expect(cache.removeAll() == 2)
    }

    @Test func batchSeesItAndMayTakeItBack() {
        struct Failure: Error {}
        setNotes([1])
        cache.set(Order(id: 1, lines: [1]))
        try? cache.performBatchUpdates { batch in
            batch.remove(Order.self, id: 1)
            #expect(batch[Note.self, 1] == nil)
            throw Failure()
        }
        #expect(cache.contains(Note.self, id: 1))
        #expect(cache.contains(Order.self, id: 1))
    }

    @Test func explicitRemovalRemovesObservedOwnedEntities() {
        setNotes([1])
        cache.set(Order(id: 1, lines: [1]))
        let kinds = Recorder<EntityChange<Note>.Kind>()
        let token = cache.cached(Note.self, id: 1).observeChanges { kinds.append($0.kind) }
        cache.remove(Order.self, id: 1)
        #expect(kinds.all == [.removed(.explicit)])
        token.dispose()
    }

    @Test func evictionAndPruningKeepOwnedEntitiesInUse() {
        setNotes([1, 2, 3, 4])
        cache.set(contentsOf: [Order(id: 1, lines: [1, 2, 3]), Order(id: 2, lines: [4])])
        let tokens = [cache.cached(Note.self, id: 1).observe { _ in }, cache.pin(Note.self, id: 2)]
        let reasons = Recorder<EntityChange<Note>.Kind>()
        let all = cache.observeAll(Note.self) { commit in
            for change in commit.changes { reasons.append(change.kind) }
        }
        cache.limit(Order.self, .count(1))
        cache.set(Order(id: 3, lines: []))
        #expect(cache.ids(of: Order.self).sorted() == [3])
        #expect(cache.ids(of: Note.self).sorted() == [1, 2])
        #expect(reasons.all == [.removed(.evicted), .removed(.evicted)])
        cache.set(Order(id: 3, lines: [1, 2]))
        cache.pruneUnobservedValues()
        #expect(cache.ids(of: Note.self).sorted() == [1, 2])
        for token in tokens { token.dispose() }
        all.dispose()
        cache.core.checkInvariants()
    }

    @Test func ownedEntitiesLeaveTheirLimitAtOnce() {
        cache.limit(Note.self, .count(100))
        cache.limit(Order.self, .count(1))
        setNotes([1, 2])
        cache.set(Order(id: 1, lines: [1]))
        cache.withSnapshot { snapshot in
            cache.set(Order(id: 2))
            // The entry of the removed value stays for the snapshot.
            #expect(snapshot.ids(of: Note.self).sorted() == [1, 2])
            #expect(cache.ids(of: Note.self) == [2])
            cache.core.checkInvariants()
        }
        cache.core.checkInvariants()
    }

    @Test func expirationRemovesOwnedEntities() {
        let clock = SleeplessClock()
        var configuration = CacheConfiguration(clock: clock)
        configuration.limit(Order.self, .unlimited, expires: .afterWrite(.seconds(1)))
        let cache = Cache(configuration: configuration)
        cache.set(Note(id: 1, text: ""))
        cache.set(Order(id: 1, lines: [1]))
        let reasons = Recorder<EntityChange<Note>.Kind>()
        let all = cache.observeAll(Note.self) { commit in
            for change in commit.changes { reasons.append(change.kind) }
        }
        clock.advance(by: .seconds(1))
        cache.expireValues()
        #expect(cache.count(of: Note.self) == 0)
        #expect(reasons.all == [.removed(.expired)])
        all.dispose()
    }

    @Test func relatedEntitiesThatArentOwnedStay() {
        cache.set(Author(id: "a", name: ""))
        cache.set(Book(id: 1, author: "a"))
        cache.remove(Book.self, id: 1)
        #expect(cache.contains(Author.self, id: "a"))
    }
}
