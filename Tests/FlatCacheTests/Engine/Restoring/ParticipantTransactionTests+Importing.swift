import TestSupport
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

extension ParticipantTransactionTests {
    @Test func importedEntitiesAreNotListedUnlessTheResultDiffers() {
        cache.set(Profile(id: 4, mail: "row"))
        archive.flush()
        cache.set(Profile(id: 2, mail: "memory"))
        archive.access.write(.writing) { transaction in
            transaction.set(ada)
            transaction.set(Profile(id: 2, name: "import"))
            transaction.set(Profile(id: 4, name: "import"))
            transaction.remove(Profile.self, id: 3)
        }
        #expect(cache.get(Profile.self, id: 4) == Profile(id: 4, name: "import"))
        #expect(cache.get(Profile.self, id: 1) == ada)
        #expect(cache.get(Profile.self, id: 2) == Profile(id: 2, name: "import", mail: "memory"))
        #expect(Array(archive.journal.changes.stored) == [2])
        #expect(archive.journal.changes.removed.isEmpty)
        archive.access.write(.writing) { $0.remove(Profile.self, id: 1) }
        #expect(cache.get(Profile.self, id: 1) == nil)
        #expect(archive.journal.changes.removed.isEmpty)
    }

    @Test func importedStampWinsIfItIsLater() {
        cache.set(Profile(id: 1, name: "memory"), modifiedAt: 5)
        archive.access.write(.writing) { transaction in
            transaction.set(Profile(id: 1, name: "older"), stamp: 4)
        }
        #expect(cache.get(Profile.self, id: 1)?.name == "memory")
        #expect(Array(archive.journal.changes.stored) == [1])
        let later = Profile(id: 1, name: "later")
        archive.access.write(.writing) { $0.set(later, stamp: 6) }
        #expect(cache.get(Profile.self, id: 1)?.name == "later")
    }

    @Test func unwrittenChangeWinsWithoutAStamp() {
        cache.set(contentsOf: (1...3).map { Profile(id: $0, name: "memory", mail: "memory") })
        cache.remove(Profile.self, id: 4)
        archive.access.write(.writing) { transaction in
            transaction.set(Profile(id: 1, name: "row", mail: "row"))
            transaction.remove(Profile.self, id: 2)
            transaction.set(Profile(id: 4, name: "row"))
        }
        #expect(cache.get(Profile.self, id: 1)?.name == "memory")
        #expect(cache.get(Profile.self, id: 2) != nil)
        #expect(cache.get(Profile.self, id: 4) == nil)
        archive.access.withSnapshot(taking: [archive.journal]) { _ in }
        #expect(archive.journal.taken.map { Array($0.stored) } == [1, 2, 3])
        #expect(archive.journal.taken.map { Array($0.removed) } == [4])
    }

    @Test func importedInvalidationReachesAnEqualValue() {
        let (cache, archive) = timed()
        cache.set(ada)
        archive.flush()
        let stale = StoredFreshness(age: .zero, staleFor: .zero)
        archive.access.write(.writing) { $0.set(ada, stale) }
        #expect(cache.freshness(of: Profile.self, id: 1).isStale)
        let untimed = Cache()
        let other = Archive<Profile>()
        other.attach(to: untimed)
        untimed.set(ada)
        other.flush()
        other.access.write(.writing) { $0.set(ada, stale) }
        #expect(untimed.freshness(of: Profile.self, id: 1).isStale)
    }

    @Test func transactionInTheMiddleOfAWriteTraps() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let (cache, archive) = (Cache(), Archive<Profile>())
            archive.attach(to: cache)
            cache.performBatchUpdates { _ in archive.restore() }
        }
        let message = try #require(result?.message)
        #expect(message.contains("A participant can't write in the middle of another write"))
    }
}
