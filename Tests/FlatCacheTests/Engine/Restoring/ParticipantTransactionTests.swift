import TestSupport
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct ParticipantTransactionTests {
    let clock = SleeplessClock()
    let cache: Cache
    let archive = Archive<Profile>()
    let ada = Profile(id: 1, name: "Ada")

    init() {
        cache = Cache(configuration: CacheConfiguration(clock: clock))
        archive.attach(to: cache)
    }

    /// Returns a cache whose profiles become stale after a minute, and its archive.
    func timed(
        expires expiration: CacheExpiration<Profile> = .never
    ) -> (Cache, Archive<Profile>) {
        var configuration = CacheConfiguration(clock: clock)
        configuration.limit(
            Profile.self,
            .unlimited,
            staleAfter: .seconds(60),
            expires: expiration
        )
        let (cache, archive) = (Cache(configuration: configuration), Archive<Profile>())
        archive.attach(to: cache)
        clock.advance(by: .seconds(1_000))
        return (cache, archive)
    }

    // MARK: Restoring

    @Test func restoredEntitiesAreOneCommitThatTheJournalDoesNotList() {
        archive.rows.withLock { rows in
            for id in 0..<100 { rows[id] = .init(value: Profile(id: id, name: "\(id)")) }
        }
        let changes = Recorder<Int>()
        let token = cache.observeAll(Profile.self) { changes.append($0.changes.count) }
        archive.restore()
        #expect(cache.count(of: Profile.self) == 100)
        #expect(cache.version == 1)
        #expect(changes.all == [100])
        #expect(archive.journal.changes.isEmpty)
        #expect(archive.origins.all == ["archive"])
        cache.set(Profile(id: 1_000))
        #expect(archive.origins.all == ["archive", "set(_:)"])
        withExtendedLifetime(token) {}
    }

    @Test func restoredValueNeverReplacesAStoredOne() {
        cache.set(ada)
        archive.access.write(.restoring) { transaction in
            #expect(!transaction.insert(Profile(id: 1, name: "old", mail: "old")))
            #expect(transaction.insert(Profile(id: 2, name: "Bob")))
            #expect(!transaction.insert(Profile(id: 2, name: "twice")))
        }
        #expect(cache.get(Profile.self, id: 1) == ada)
        #expect(cache.get(Profile.self, id: 2)?.name == "Bob")
        cache.core.checkInvariants()
    }

    @Test func removedEntityIsNotRestoredBeforeItsRowIsGone() {
        archive.rows.withLock { $0[1] = .init(value: ada) }
        cache.remove(Profile.self, id: 1)
        archive.restore()
        #expect(cache.count(of: Profile.self) == 0)
        archive.access.withSnapshot(taking: [archive.journal]) { _ in }
        archive.restore()
        #expect(cache.count(of: Profile.self) == 0)
        archive.access.putBack([archive.journal])
        archive.restore()
        #expect(cache.count(of: Profile.self) == 0)
    }

    @Test func rowThatWasReadBeforeItsRemovalIsNotRestored() async {
        await archive.access.withRead(of: [archive.journal]) {
            cache.remove(Profile.self, id: 1)
            cache.invalidate(Profile.self, id: 2)
            archive.flush()
            archive.access.write(.restoring) { transaction in
                #expect(!transaction.insert(ada))
                #expect(transaction.insert(Profile(id: 2)))
            }
        }
        #expect(cache.freshness(of: Profile.self, id: 2).isStale)
        archive.access.write(.restoring) { #expect($0.insert(ada)) }
    }

    @Test func invalidatedEntityIsRestoredStale() {
        cache.invalidate(Profile.self, id: 1)
        archive.access.write(.restoring) { transaction in
            transaction.insert(ada)
            transaction.insert(Profile(id: 2))
        }
        #expect(cache.freshness(of: Profile.self, id: 1).isStale)
        #expect(cache.freshness(of: Profile.self, id: 2).isFresh)
    }

    @Test func agesOfARestoredValueContinue() {
        let (cache, archive) = timed()
        archive.access.write(.restoring) { transaction in
            transaction.insert(ada, StoredFreshness(age: .seconds(20)))
            transaction.insert(Profile(id: 2), StoredFreshness(age: .seconds(90)))
            transaction.insert(
                Profile(id: 3),
                StoredFreshness(age: .seconds(30), staleFor: .seconds(10))
            )
        }
        let second = { CacheInstant(offset: .seconds($0)) }
        #expect(cache.freshness(of: Profile.self, id: 1) == .fresh(since: second(980)))
        #expect(cache.freshness(of: Profile.self, id: 2) == .stale(since: second(970)))
        #expect(cache.freshness(of: Profile.self, id: 3) == .stale(since: second(990)))
        clock.advance(by: .seconds(40))
        #expect(cache.freshness(of: Profile.self, id: 1) == .stale(since: second(1_040)))
        cache.set(Profile(id: 3))
        #expect(cache.freshness(of: Profile.self, id: 3) == .fresh(since: second(1_040)))
        cache.core.checkInvariants()
    }

    @Test func typeWithoutLifetimesKeepsRestoredStaleness() {
        clock.advance(by: .seconds(100))
        archive.access.write(.restoring) { transaction in
            transaction.insert(ada, StoredFreshness(age: .seconds(30), staleFor: .seconds(10)))
            transaction.insert(Profile(id: 2), StoredFreshness(age: .seconds(30)))
        }
        let freshness = cache.freshness(of: Profile.self, id: 1)
        #expect(freshness == .stale(since: CacheInstant(offset: .seconds(90))))
        #expect(cache.freshness(of: Profile.self, id: 2).isFresh)
    }

    @Test func valueThatIsRestoredStaleDoesNotBecomeStaleAgain() {
        let (cache, archive) = timed()
        let kinds = Recorder<EntityChange<Profile>.Kind>()
        let token = cache.cached(Profile.self, id: 1).observeChanges { kinds.append($0.kind) }
        archive.access.write(.restoring) {
            $0.insert(ada, StoredFreshness(age: .seconds(90)))
        }
        cache.expireValues()
        #expect(kinds.all == [.inserted])
        withExtendedLifetime(token) {}
    }

    @Test func restoredValueExpiresByItsAge() {
        let (cache, archive) = timed(expires: .afterWrite(.seconds(100)))
        archive.access.write(.restoring) { transaction in
            transaction.insert(ada, StoredFreshness(age: .seconds(95)))
            transaction.insert(Profile(id: 2), StoredFreshness(age: .seconds(5)))
        }
        clock.advance(by: .seconds(6))
        cache.expireValues()
        #expect(cache.ids(of: Profile.self) == [2])
    }

    @Test func restoredStampIsCompared() {
        archive.access.write(.restoring) { $0.insert(ada, stamp: 5) }
        cache.set(Profile(id: 1, name: "older"), modifiedAt: 4)
        #expect(cache.get(Profile.self, id: 1)?.name == "Ada")
        cache.set(Profile(id: 1, name: "newer"), modifiedAt: 6)
        #expect(cache.get(Profile.self, id: 1)?.name == "newer")
        archive.flush()
        #expect(archive.rows.withLock { $0[1]?.stamp as? Int } == 6)
    }

    @Test func restoredEntitiesDoNotOutdateTheAnswersOfLoads() async throws {
        let value = try await cache.load(Profile.self, id: 1) { [archive, ada] in
            archive.access.write(.restoring) { $0.insert(ada) }
            return Profile(id: 1, name: "answer", mail: "answer")
        }
        #expect(value?.name == "answer")
        let imported = try await cache.load(Profile.self, id: 2) { [archive] in
            archive.access.write(.writing) { $0.set(Profile(id: 2, name: "import")) }
            return Profile(id: 2, name: "answer", mail: "answer")
        }
        #expect(imported == Profile(id: 2, name: "import", mail: "answer"))
    }

    // MARK: Merging

    @Test func valueIsMergedBeneathTheStoredOne() {
        let (cache, archive) = timed()
        cache.set(ada)
        clock.advance(by: .seconds(30))
        archive.flush()
        archive.access.write(.restoring) {
            $0.mergeBeneath(Profile(id: 1, name: "old", mail: "mail"))
        }
        #expect(cache.get(Profile.self, id: 1) == Profile(id: 1, name: "Ada", mail: "mail"))
        #expect(Array(archive.journal.changes.stored) == [1])
        let since = CacheInstant(offset: .seconds(1_000))
        #expect(cache.freshness(of: Profile.self, id: 1) == .fresh(since: since))
        archive.access.write(.restoring) { $0.mergeBeneath(Profile(id: 2)) }
        #expect(cache.get(Profile.self, id: 2) == nil)
    }

    @Test func staleValueStaysStaleWhenAnotherIsMergedBeneath() {
        let (cache, archive) = timed()
        cache.set(ada)
        clock.advance(by: .seconds(10))
        cache.invalidate(Profile.self, id: 1)
        clock.advance(by: .seconds(10))
        archive.access.write(.restoring) { $0.mergeBeneath(Profile(id: 1, mail: "mail")) }
        let since = CacheInstant(offset: .seconds(1_010))
        #expect(cache.freshness(of: Profile.self, id: 1) == .stale(since: since))
    }

    @Test func replacedOrRemovedEntitiesMergeNothingBeneath() {
        cache.replace(ada)
        cache.remove(Profile.self, id: 2)
        cache.set(Profile(id: 2, name: "Bob"))
        archive.access.write(.restoring) { transaction in
            for id in 1...2 { transaction.mergeBeneath(Profile(id: id, mail: "old")) }
        }
        #expect(cache.values(of: Profile.self).allSatisfy { $0.mail == nil })
    }

    @Test func laterStampIsMergedOverTheStoredValue() {
        cache.set(Profile(id: 1, name: "memory"), modifiedAt: 5)
        archive.access.write(.restoring) {
            $0.mergeBeneath(Profile(id: 1, name: "row", mail: "row"), stamp: 9)
        }
        #expect(cache.get(Profile.self, id: 1)?.name == "row")
        cache.set(Profile(id: 1, name: "older"), modifiedAt: 8)
        #expect(cache.get(Profile.self, id: 1)?.name == "row")
    }
}
