import FlatCache
import Testing

@testable import FlatCacheTestSupport

@Suite(.exclusive)
struct CachedAliasTests {
    struct Refusal: Error {}

    let cache = Cache()

    @Test func isEqualByNameAndType() {
        let alias = CachedAlias<Author>("currentUser")
        #expect(alias.name == "currentUser")
        #expect(alias == .currentUser)
        #expect(alias != CachedAlias("another"))
        #expect(Set([alias, .currentUser, .featured]).count == 2)
        #expect("\(alias)" == "CachedAlias \"currentUser\" for Author")
    }

    @Test func hasNoTargetAtFirst() {
        #expect(cache.get(.currentUser) == nil)
        #expect(cache[.currentUser] == nil)
        #expect(cache.id(of: .currentUser) == nil)
        #expect(cache.version == 0)
    }

    @Test func settingStoresTheValueAndPointsThereInOneCommit() {
        let stored = cache.set(Author(id: "lem", name: "Lem"), as: .currentUser)
        #expect(stored == Author(id: "lem", name: "Lem"))
        #expect(cache.version == 1)
        #expect(cache.get(.currentUser)?.name == "Lem")
        #expect(cache[.currentUser]?.name == "Lem")
        #expect(cache.id(of: .currentUser) == "lem")
        #expect(cache[Author.self, "lem"]?.name == "Lem")
    }

    @Test func batchShowsTheTargetsOfItsAliases() {
        cache.set(Author(id: "lem", name: "Lem"), as: .currentUser)
        cache.performBatchUpdates { batch in
            #expect(batch[.currentUser]?.name == "Lem")
            batch.set(Author(id: "le-guin", name: "Le Guin"), as: .currentUser)
            #expect(batch[.currentUser]?.name == "Le Guin")
            #expect(batch.id(of: .currentUser) == "le-guin")
            #expect(cache[.currentUser]?.name == "Lem")
            batch.point(.currentUser, to: "lem")
            batch.set(Author(id: "lem", name: "Stanisław Lem"))
            #expect(batch.get(.currentUser)?.name == "Stanisław Lem")
            batch.point(.currentUser, to: nil)
            #expect(batch[.currentUser] == nil)
            #expect(batch.id(of: .currentUser) == nil)
        }
        #expect(cache[.currentUser] == nil)
    }

    @Test func snapshotShowsTheTargetsOfItsVersion() {
        cache.set(Author(id: "lem", name: "Lem"), as: .currentUser)
        cache.withSnapshot { snapshot in
            cache.set(Author(id: "lem", name: "Stanisław Lem"))
            cache.point(.currentUser, to: nil)
            #expect(snapshot[.currentUser]?.name == "Lem")
            #expect(snapshot.id(of: .currentUser) == "lem")
        }
        #expect(cache.withSnapshot { $0.get(.currentUser) } == nil)
    }

    @Test func genericFunctionPointsAnAliasInACacheOrABatch() {
        func logIn(_ author: Author, in cache: some CacheType) -> String? {
            cache.set(author, as: .currentUser)
            return cache[.currentUser]?.name
        }
        #expect(logIn(Author(id: "lem", name: "Lem"), in: cache) == "Lem")
        cache.performBatchUpdates {
            #expect(logIn(Author(id: "le-guin", name: "Le Guin"), in: $0) == "Le Guin")
        }
        #expect(cache[.currentUser]?.name == "Le Guin")
    }

    @Test func settingMergesAndReturnsTheStoredValue() {
        let alias = CachedAlias<Book>("open")
        cache.set(Book(id: 1, title: "Solaris"))
        let stored = cache.set(Book(id: 1, year: 1961), as: alias)
        #expect(stored == Book(id: 1, title: "Solaris", year: 1961))
        #expect(cache[alias] == stored)
        let version = cache.version
        cache.set(Book(id: 1), as: alias)
        #expect(cache.version == version, "Neither the value nor the alias has changed.")
    }

    @Test func showsTheLatestValueOfItsTarget() {
        cache.set(Author(id: "lem", name: "Lem"), as: .currentUser)
        cache.set(Author(id: "lem", name: "Stanisław Lem"))
        #expect(cache[.currentUser]?.name == "Stanisław Lem")
        cache.remove(Author.self, id: "lem")
        #expect(cache[.currentUser] == nil)
        #expect(cache.id(of: .currentUser) == "lem")
    }

    @Test func canPointToAMissingEntity() {
        cache.point(.currentUser, to: "lem")
        #expect(cache.id(of: .currentUser) == "lem")
        #expect(cache[.currentUser] == nil)
        cache.set(Author(id: "lem", name: "Lem"))
        #expect(cache[.currentUser]?.name == "Lem")
    }

    @Test func canChangeAndLoseItsTarget() {
        cache.set(contentsOf: [Author(id: "lem", name: "L"), Author(id: "le-guin", name: "G")])
        cache.point(.currentUser, to: "lem")
        cache.point(.currentUser, to: "le-guin")
        #expect(cache[.currentUser]?.name == "G")
        cache.point(.currentUser, to: nil)
        #expect(cache[.currentUser] == nil)
        #expect(cache.id(of: .currentUser) == nil)
        #expect(cache.count(of: Author.self) == 2)
        let version = cache.version
        cache.point(.currentUser, to: nil)
        #expect(cache.version == version)
        cache.point(.currentUser, to: "lem")
        cache.point(.currentUser, to: "lem")
        #expect(cache.version == version + 1)
    }

    @Test func aliasesOfOneNameForTwoTypesAreTwo() {
        cache.set(Author(id: "lem", name: "Lem"), as: .featured)
        cache.set(Book(id: 1, title: "Solaris"), as: .featured)
        let author: Author? = cache.get(.featured)
        let book: Book? = cache[.featured]
        #expect(author?.name == "Lem")
        #expect(book?.title == "Solaris")
        cache.point(CachedAlias<Book>.featured, to: nil)
        #expect(cache.id(of: CachedAlias<Author>.featured) == "lem")
        #expect(cache.id(of: CachedAlias<Book>.featured) == nil)
    }

    @Test func twoAliasesMayPointToOneEntity() {
        cache.set(Author(id: "lem", name: "Lem"), as: .currentUser)
        cache.point(CachedAlias<Author>.featured, to: "lem")
        cache.point(.currentUser, to: nil)
        #expect(cache[CachedAlias<Author>.featured]?.name == "Lem")
    }

    @Test func inABatchItIsOneCommitAndNothingIsVisibleBefore() {
        cache.set(Author(id: "lem", name: "Lem"), as: .currentUser)
        let version = cache.version
        cache.performBatchUpdates { batch in
            cache.point(.currentUser, to: nil)
            batch.set(Author(id: "lem", name: "Stanisław Lem"))
            cache.set(Author(id: "le-guin", name: "Le Guin"), as: .currentUser)
            #expect(cache[.currentUser]?.name == "Lem")
            #expect(cache.id(of: .currentUser) == "lem")
            #expect(batch[Author.self, "le-guin"]?.name == "Le Guin")
        }
        #expect(cache.version == version + 1)
        #expect(cache[.currentUser]?.name == "Le Guin")
    }

    @Test func batchThatThrowsRollsBackAliasAndValue() {
        cache.set(Author(id: "lem", name: "Lem"), as: .currentUser)
        let version = cache.version
        #expect(throws: Refusal.self) {
            try cache.performBatchUpdates { _ in
                cache.set(Author(id: "le-guin", name: "Le Guin"), as: .currentUser)
                cache.point(CachedAlias<Book>.featured, to: 1)
                throw Refusal()
            }
        }
        #expect(cache.version == version)
        #expect(cache.id(of: .currentUser) == "lem")
        #expect(cache.id(of: CachedAlias<Book>.featured) == nil)
        #expect(!cache.contains(Author.self, id: "le-guin"))
    }

    @Test(.timeLimit(.minutes(15)))
    func readersNeverSeeATargetWithoutItsValue() {
        let cache = cache
        let rounds = 2_000
        cache.set(Station(id: 0), as: CachedAlias("station"))
        let seen = Recorder<[Int?]>()
        let ended = onThreads(3) { thread in
            let alias = CachedAlias<Station>("station")
            if thread == 0 {
                for revision in 1...rounds {
                    cache.performBatchUpdates { batch in
                        batch.remove(Station.self, id: revision - 1)
                        cache.set(Station(id: revision, revision: revision), as: alias)
                    }
                }
                return
            }
            var revisions: [Int?] = []
            repeat { revisions.append(cache[alias]?.revision) } while revisions.last != rounds
            seen.append(revisions)
        }
        #expect(ended)
        #expect(cache.isSettled())
        for revisions in seen.all {
            let found = revisions.compactMap(\.self)
            #expect(found.count == revisions.count)
            #expect(found == found.sorted())
        }
        #expect(seen.count == 2)
    }
}
