import FlatCache
import Testing

@testable import FlatCacheTestSupport

@Suite(.exclusive)
struct CachedAliasTests {
    struct Refusal: Error {}

    let cache = Cache()

    @Test func isDescribedByNameAndType() {
        let alias = cache.alias("currentUser", of: Author.self)
        #expect(alias.name == "currentUser")
        #expect(alias.id == "currentUser")
        #expect("\(alias)" == "CachedAlias \"currentUser\" of Author")
    }

    @Test func hasNoTargetAtFirst() {
        #expect(cache.currentUser.value == nil)
        #expect(cache.currentUser.target == nil)
        #expect(cache.version == 0)
    }

    @Test func settingStoresTheValueAndPointsThereInOneCommit() {
        let stored = cache.currentUser.set(Author(id: "lem", name: "Lem"))
        #expect(stored == Author(id: "lem", name: "Lem"))
        #expect(cache.version == 1)
        #expect(cache.currentUser.value?.name == "Lem")
        #expect(cache.currentUser.target == "lem")
        #expect(cache[Author.self, "lem"]?.name == "Lem")
    }

    @Test func batchShowsTheTargetsOfItsAliases() {
        cache.currentUser.set(Author(id: "lem", name: "Lem"))
        cache.performBatchUpdates { batch in
            #expect(batch.currentUser.value?.name == "Lem")
            batch.currentUser.set(Author(id: "le-guin", name: "Le Guin"))
            #expect(batch.currentUser.value?.name == "Le Guin")
            #expect(batch.currentUser.target == "le-guin")
            #expect(cache.currentUser.value?.name == "Lem")
            batch.currentUser.target = "lem"
            batch.set(Author(id: "lem", name: "Stanisław Lem"))
            #expect(batch.currentUser.value?.name == "Stanisław Lem")
            batch.currentUser.target = nil
            #expect(batch.currentUser.value == nil)
            #expect(batch.currentUser.target == nil)
        }
        #expect(cache.currentUser.value == nil)
    }

    @Test func snapshotShowsTheTargetsOfItsVersion() {
        cache.currentUser.set(Author(id: "lem", name: "Lem"))
        cache.withSnapshot { snapshot in
            cache.set(Author(id: "lem", name: "Stanisław Lem"))
            cache.currentUser.target = nil
            #expect(cache.currentUser.value(in: snapshot)?.name == "Lem")
            #expect(cache.currentUser.target(in: snapshot) == "lem")
        }
        #expect(cache.withSnapshot { cache.currentUser.value(in: $0) } == nil)
    }

    @Test func genericFunctionPointsAnAliasInACacheOrABatch() {
        func logIn(_ author: Author, in cache: some CacheType) -> String? {
            cache.currentUser.set(author)
            return cache.currentUser.value?.name
        }
        #expect(logIn(Author(id: "lem", name: "Lem"), in: cache) == "Lem")
        cache.performBatchUpdates {
            #expect(logIn(Author(id: "le-guin", name: "Le Guin"), in: $0) == "Le Guin")
        }
        #expect(cache.currentUser.value?.name == "Le Guin")
    }

    @Test func settingMergesAndReturnsTheStoredValue() {
        let alias = cache.alias("open", of: Book.self)
        cache.set(Book(id: 1, title: "Solaris"))
        let stored = alias.set(Book(id: 1, year: 1961))
        #expect(stored == Book(id: 1, title: "Solaris", year: 1961))
        #expect(alias.value == stored)
        let version = cache.version
        alias.set(Book(id: 1))
        #expect(cache.version == version, "Neither the value nor the alias has changed.")
    }

    @Test func showsTheLatestValueOfItsTarget() {
        cache.currentUser.set(Author(id: "lem", name: "Lem"))
        cache.set(Author(id: "lem", name: "Stanisław Lem"))
        #expect(cache.currentUser.value?.name == "Stanisław Lem")
        cache.remove(Author.self, id: "lem")
        #expect(cache.currentUser.value == nil)
        #expect(cache.currentUser.target == "lem")
    }

    @Test func canPointToAMissingEntity() {
        cache.currentUser.target = "lem"
        #expect(cache.currentUser.target == "lem")
        #expect(cache.currentUser.value == nil)
        cache.set(Author(id: "lem", name: "Lem"))
        #expect(cache.currentUser.value?.name == "Lem")
    }

    @Test func canChangeAndLoseItsTarget() {
        cache.set(contentsOf: [Author(id: "lem", name: "L"), Author(id: "le-guin", name: "G")])
        cache.currentUser.target = "lem"
        cache.currentUser.target = "le-guin"
        #expect(cache.currentUser.value?.name == "G")
        cache.currentUser.target = nil
        #expect(cache.currentUser.value == nil)
        #expect(cache.currentUser.target == nil)
        #expect(cache.count(of: Author.self) == 2)
        let version = cache.version
        cache.currentUser.target = nil
        #expect(cache.version == version)
        cache.currentUser.target = "lem"
        cache.currentUser.target = "lem"
        #expect(cache.version == version + 1)
    }

    @Test func aliasesOfOneNameForTwoTypesAreTwo() {
        cache.featuredAuthor.set(Author(id: "lem", name: "Lem"))
        cache.featuredBook.set(Book(id: 1, title: "Solaris"))
        #expect(cache.featuredAuthor.value?.name == "Lem")
        #expect(cache.featuredBook.value?.title == "Solaris")
        cache.featuredBook.target = nil
        #expect(cache.featuredAuthor.target == "lem")
        #expect(cache.featuredBook.target == nil)
    }

    @Test func twoAliasesMayPointToOneEntity() {
        cache.currentUser.set(Author(id: "lem", name: "Lem"))
        cache.featuredAuthor.target = "lem"
        cache.currentUser.target = nil
        #expect(cache.featuredAuthor.value?.name == "Lem")
    }

    @Test func inABatchItIsOneCommitAndNothingIsVisibleBefore() {
        cache.currentUser.set(Author(id: "lem", name: "Lem"))
        let version = cache.version
        cache.performBatchUpdates { batch in
            cache.currentUser.target = nil
            batch.set(Author(id: "lem", name: "Stanisław Lem"))
            cache.currentUser.set(Author(id: "le-guin", name: "Le Guin"))
            #expect(cache.currentUser.value?.name == "Lem")
            #expect(cache.currentUser.target == "lem")
            #expect(batch[Author.self, "le-guin"]?.name == "Le Guin")
        }
        #expect(cache.version == version + 1)
        #expect(cache.currentUser.value?.name == "Le Guin")
    }

    @Test func batchThatThrowsRollsBackAliasAndValue() {
        cache.currentUser.set(Author(id: "lem", name: "Lem"))
        let version = cache.version
        #expect(throws: Refusal.self) {
            try cache.performBatchUpdates { _ in
                cache.currentUser.set(Author(id: "le-guin", name: "Le Guin"))
                cache.featuredBook.target = 1
                throw Refusal()
            }
        }
        #expect(cache.version == version)
        #expect(cache.currentUser.target == "lem")
        #expect(cache.featuredBook.target == nil)
        #expect(!cache.contains(Author.self, id: "le-guin"))
    }

    @Test(.timeLimit(.minutes(15)))
    func readersNeverSeeATargetWithoutItsValue() {
        let cache = cache
        let rounds = 2_000
        cache.alias("station", of: Station.self).set(Station(id: 0))
        let seen = Recorder<[Int?]>()
        let ended = onThreads(3) { thread in
            let alias = cache.alias("station", of: Station.self)
            if thread == 0 {
                for revision in 1...rounds {
                    cache.performBatchUpdates { batch in
                        batch.remove(Station.self, id: revision - 1)
                        alias.set(Station(id: revision, revision: revision))
                    }
                }
                return
            }
            var revisions: [Int?] = []
            repeat { revisions.append(alias.value?.revision) } while revisions.last != rounds
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
