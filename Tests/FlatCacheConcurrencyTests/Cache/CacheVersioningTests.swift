import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests responses that arrive in another order than their requests.
@Suite(.exclusive)
struct CacheVersioningTests {
    let cache = Cache()

    struct Article: Identifiable, Versioned, Equatable, Sendable {
        let id: Int
        var headline: String
        var revision: Int

        static var versionKeyPath: KeyPath<Article, Int> { \.revision }
    }

    /// An entity with partial values that isn't `Equatable`.
    struct Profile: Identifiable, Versioned, Mergeable, Sendable {
        let id: Int
        var revision: Int
        var name: String?
        var town: String?

        static var versionKeyPath: KeyPath<Profile, Int> { \.revision }

        func merged(with other: Profile) -> Profile {
            Profile(
                id: id,
                revision: other.revision,
                name: other.name ?? name,
                town: other.town ?? town
            )
        }
    }

    /// An entity whose partial values may lack a revision.
    struct Comment: Identifiable, Versioned, Mergeable, Equatable, Sendable {
        let id: Int
        var revision: Int?
        var text: String?
        var author: String?

        static var versionKeyPath: KeyPath<Comment, Int?> { \.revision }

        func merged(with other: Comment) -> Comment {
            Comment(
                id: id,
                revision: other.revision ?? revision,
                text: other.text ?? text,
                author: other.author ?? author
            )
        }
    }

    @Test(arguments: Way.allCases)
    func absentVersionIsNotCompared(way: Way) {
        way.store(Comment(id: 1, revision: 2, text: "second"), in: cache)
        way.store(Comment(id: 1, text: "from a list"), in: cache)
        #expect(
            cache[Comment.self, 1] == Comment(id: 1, revision: 2, text: "from a list")
        )
        way.store(Comment(id: 1, revision: 1, text: "first", author: "lem"), in: cache)
        #expect(
            cache[Comment.self, 1]
                == Comment(id: 1, revision: 2, text: "from a list", author: "lem")
        )
        way.store(Comment(id: 2, text: "unversioned"), in: cache)
        way.store(Comment(id: 2, revision: 1, text: "first"), in: cache)
        #expect(cache[Comment.self, 2]?.revision == 1)
        #expect(cache[Comment.self, 2]?.text == "first")
    }

    private func article(_ revision: Int, _ headline: String? = nil) -> Article {
        Article(id: 1, headline: headline ?? "revision \(revision)", revision: revision)
    }

    /// The methods that store a value.
    enum Way: CaseIterable {
        case set, contentsOf, handle, batch

        func store<Value: Identifiable & Sendable>(
            _ value: Value,
            in cache: Cache
        ) where Value.ID: Sendable {
            switch self {
            case .set: cache.set(value)
            case .contentsOf: cache.set(contentsOf: [value])
            case .handle: cache.cached(Value.self, id: value.id).value = value
            case .batch: cache.performBatchUpdates { _ = $0.set(value) }
            }
        }
    }

    @Test(arguments: Way.allCases, [false, true])
    func olderValueChangesNothing(way: Way, isObserved: Bool) {
        let received = Recorder<Int>()
        let observation =
            isObserved
            ? cache.cached(Article.self, id: 1).observe { received.append($0.revision) } : nil
        way.store(article(2), in: cache)
        let version = cache.version
        way.store(article(1), in: cache)
        #expect(cache[Article.self, 1] == article(2))
        #expect(cache.version == version)
        way.store(article(3), in: cache)
        #expect(cache[Article.self, 1] == article(3))
        #expect(received.all == (isObserved ? [2, 3] : []))
        observation?.dispose()
        cache.core.checkInvariants()
    }

    @Test func laterOfTwoEqualVersionsWins() {
        cache.set(article(2, "first"))
        #expect(cache.set(article(2, "second")).headline == "second")
        #expect(cache[Article.self, 1]?.headline == "second")
    }

    @Test func setReturnsTheStoredValue() {
        cache.set(article(2))
        #expect(cache.set(article(1)) == article(2))
        #expect(
            cache.set(contentsOf: [article(1), article(3), article(2)]).map(\.revision) == [
                2, 3, 3,
            ]
        )
    }

    @Test(arguments: Way.allCases)
    func partialValuesMergeToTheSameValueInAnyOrder(way: Way) {
        let parts = [
            Profile(id: 1, revision: 1, name: "Ursula"),
            Profile(id: 1, revision: 2, town: "Berkeley"),
            Profile(id: 1, revision: 3, name: "Ursula K.", town: "Portland"),
        ]
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            cache.removeAll()
            for index in order { way.store(parts[index], in: cache) }
            let whole = cache[Profile.self, 1]
            #expect(whole?.revision == 3)
            #expect(whole?.name == "Ursula K.")
            #expect(whole?.town == "Portland")
        }
    }

    @Test func olderPartialValueFillsMissingProperties() {
        cache.set(Profile(id: 1, revision: 2, name: "Ursula K."))
        cache.set(Profile(id: 1, revision: 1, name: "Ursula", town: "Berkeley"))
        let whole = cache[Profile.self, 1]
        #expect(whole?.revision == 2)
        #expect(whole?.name == "Ursula K.")
        #expect(whole?.town == "Berkeley")
    }

    @Test func replaceAndUpdateDoNotAsk() {
        cache.set(article(5))
        cache.replace(article(1))
        #expect(cache[Article.self, 1] == article(1))
        cache.update(Article.self, id: 1) { $0.revision = 0 }
        #expect(cache[Article.self, 1]?.revision == 0)
    }

    @Test func batchComparesVersionsWithItsOwnWrites() {
        cache.set(article(1))
        cache.performBatchUpdates { batch in
            batch.set(article(4))
            #expect(batch.set(article(3)) == article(4))
        }
        #expect(cache[Article.self, 1] == article(4))
    }

    @Test func afterARemovalAnyVersionIsNew() {
        cache.set(article(2))
        cache.remove(Article.self, id: 1)
        cache.set(article(1))
        #expect(cache[Article.self, 1] == article(1))
    }

    @Test func onSeveralThreadsTheNewestStays() {
        let ended = onThreads(4) { [cache] thread in
            for revision in 0..<500 {
                cache.set(Article(id: 1, headline: "", revision: revision * 4 + thread))
            }
        }
        #expect(ended)
        #expect(cache.isSettled())
        #expect(cache[Article.self, 1]?.revision == 1_999)
    }
}
