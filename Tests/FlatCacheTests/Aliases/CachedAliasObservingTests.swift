import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct CachedAliasObservingTests {
    let cache = Cache()
    let received = Recorder<String>()

    init() {
        cache.set(contentsOf: [
            Author(id: "lem", name: "Lem", books: [Related(1)]),
            Author(id: "le-guin", name: "Le Guin", books: [Related(2)]),
        ])
        cache.set(contentsOf: [Book(id: 1, sequel: 3), Book(id: 2), Book(id: 3)])
        cache.currentUser.target = "lem"
    }

    private func observe(
        initial: Bool = false,
        following: RelationshipDepth = .allRelationships
    ) -> Disposable {
        cache.currentUser.following(following).observe(initial: initial) { [received] author in
            received.append(author?.name ?? "nobody")
        }
    }

    /// Returns the calls that a change causes, one per commit.
    private func received(of change: () -> Void) -> [String] {
        received.removeAll()
        change()
        cache.core.checkInvariants()
        return received.all
    }

    private func rename(_ id: Author.ID, _ name: String) {
        cache.update(Author.self, id: id) { $0.name = name }
    }

    @Test func eachChangeOfTheTargetNotifiesOnce() {
        let observation = observe()
        #expect(received { rename("lem", "S. Lem") } == ["S. Lem"])
        #expect(received { cache.currentUser.set(Author(id: "lem", name: "Lem")) } == ["Lem"])
        #expect(received { cache.remove(Author.self, id: "lem") } == ["nobody"])
        #expect(received { cache.set(Author(id: "lem", name: "back")) } == ["back"])
        observation.dispose()
    }

    @Test func observersFollowTheName() {
        let observation = observe()
        #expect(received { cache.currentUser.target = "le-guin" } == ["Le Guin"])
        #expect(received { rename("lem", "the old target") } == [])
        #expect(received { cache.update(Book.self, id: 1) { $0.year = 1 } } == [])
        #expect(received { rename("le-guin", "Ursula") } == ["Ursula"])
        #expect(received { cache.update(Book.self, id: 2) { $0.year = 1 } } == ["Ursula"])
        #expect(received { cache.currentUser.target = "lem" } == ["the old target"])
        #expect(received { rename("le-guin", "the old target, too") } == [])
        observation.dispose()
    }

    @Test func missingEntityNotifiesWhenItArrives() {
        let observation = observe()
        #expect(received { cache.currentUser.target = "kafka" } == ["nobody"])
        #expect(received { cache.set(Author(id: "kafka", name: "Kafka")) } == ["Kafka"])
        observation.dispose()
    }

    @Test func aliasWithoutATargetCanBeObserved() {
        cache.currentUser.target = nil
        let observation = observe()
        #expect(received { rename("lem", "not observed") } == [])
        #expect(received { cache.currentUser.target = "le-guin" } == ["Le Guin"])
        #expect(received { cache.currentUser.target = nil } == ["nobody"])
        #expect(received { rename("le-guin", "not observed any more") } == [])
        #expect(received { cache.currentUser.target = nil } == [])
        observation.dispose()
    }

    @Test func typeThatTheCacheHasNeverSeenMayBeObserved() {
        struct Draft: Identifiable, Sendable {
            let id: Int
        }
        let observation = cache.alias("open", of: Draft.self).observe { [received] draft in
            received.append(draft.map { "\($0.id)" } ?? "none")
        }
        cache.alias("open", of: Draft.self).target = 7
        cache.set(Draft(id: 7))
        #expect(received.all == ["none", "7"])
        cache.core.checkInvariants()
        observation.dispose()
    }

    @Test func changesAreThoseOfTheTarget() {
        let changes = Recorder<[String?]>()
        let observation = cache.currentUser.observeChanges { changes.append([$0.old, $0.new]) }
        rename("lem", "S. Lem")
        cache.alias("currentUser", of: Author.self, pinsTarget: false).target = "lem"
        #expect(changes.all.isEmpty)
        cache.currentUser.target = "le-guin"
        cache.performBatchUpdates { batch in
            batch.currentUser.target = "kafka"
            batch.currentUser.target = nil
        }
        cache.currentUser.set(Author(id: "lem", name: "Lem"))
        #expect(changes.all == [["lem", "le-guin"], ["le-guin", nil], [nil, "lem"]])
        observation.dispose()
        cache.currentUser.target = nil
        #expect(changes.count == 3)
    }

    @Test func aliasOfABatchShowsCommitsToItsObservers() {
        let observation = cache.performBatchUpdates { batch in
            batch.currentUser.observe(initial: true) { [received] author in
                received.append(author?.name ?? "nobody")
            }
        }
        cache.currentUser.target = "le-guin"
        #expect(received.all == ["Lem", "Le Guin"])
        observation.dispose()
    }

    @Test func aliasAndTargetInOneBatchNotifyOnce() {
        let observation = observe()
        let calls = received {
            cache.performBatchUpdates { _ in
                rename("lem", "the old target")
                cache.currentUser.target = nil
                rename("le-guin", "the new target")
                cache.currentUser.target = "le-guin"
                cache.update(Book.self, id: 2) { $0.year = 1 }
            }
        }
        #expect(calls == ["the new target"])
        #expect(
            received { cache.currentUser.set(Author(id: "kafka", name: "Kafka")) } == [
                "Kafka"
            ]
        )
        let nothing = received {
            cache.performBatchUpdates { _ in
                cache.currentUser.target = "lem"
                cache.currentUser.target = "kafka"
            }
        }
        #expect(nothing == [])
        observation.dispose()
    }

    @Test func otherAliasesAndTypesDontNotify() {
        let observation = observe()
        #expect(received { cache.featuredAuthor.target = "lem" } == [])
        #expect(received { cache.alias("currentUser", of: Book.self).target = 1 } == [])
        #expect(received { rename("le-guin", "somebody else") } == [])
        observation.dispose()
    }

    @Test(arguments: [
        (RelationshipDepth.none, 1), (.levels(0), 1), (.levels(1), 2), (.levels(2), 3),
        (.levels(.max), 3),
        (.allRelationships, 3),
    ])
    func relationshipsOfTheTargetAreFollowedSoFar(following: RelationshipDepth, reach: Int) {
        let observation = observe(following: following)
        let calls = [
            received { rename("lem", "renamed") },
            received { cache.update(Book.self, id: 1) { $0.year = 1 } },
            received { cache.update(Book.self, id: 3) { $0.year = 1 } },
        ]
        #expect(calls.prefix { $0.count == 1 }.count == reach)
        #expect(calls.joined().count == reach)
        #expect(received { cache.currentUser.target = "le-guin" } == ["Le Guin"])
        #expect(received { rename("le-guin", "renamed, too") } == ["renamed, too"])
        observation.dispose()
        #expect(cache.core.watchedCount == 0)
    }

    @Test func initialCallIsMadeAtOnceWithoutATarget() {
        let observation = observe(initial: true)
        #expect(received.all == ["Lem"])
        cache.currentUser.target = "nobody we know"
        let ofTheAbsent = observe(initial: true)
        cache.currentUser.target = nil
        let ofNowhere = observe(initial: true)
        #expect(received.all == ["Lem", "nobody", "nobody", "nobody", "nobody", "nobody"])
        for token in [observation, ofTheAbsent, ofNowhere] { token.dispose() }
        #expect(cache.core.watchedCount == 0)
    }

    @Test func observerMayPointTheAliasElsewhere() {
        let cache = cache
        let received = received
        let observation = cache.currentUser.observe { author in
            received.append(author?.name ?? "nobody")
            if author == nil { cache.currentUser.target = "le-guin" }
        }
        cache.currentUser.target = nil
        #expect(received.all == ["nobody", "Le Guin"])
        observation.dispose()
    }

    @Test func disposalEndsCalls() {
        let observation = observe()
        #expect(cache.core.watchedCount == 4)
        observation.dispose()
        #expect(cache.core.watchedCount == 0)
        #expect(received { cache.currentUser.target = "le-guin" } == [])
    }

    @Test func deliveryOfItsOwnCallsLaterWithTheLatestValue() {
        let works = Recorder<@Sendable () -> Void>()
        let later = CacheDelivery { works.append($0) }
        let observation = cache.currentUser.observe(delivery: later) { [received] author in
            received.append(author?.name ?? "nobody")
        }
        rename("lem", "first")
        cache.currentUser.target = "le-guin"
        #expect(received.all == [])
        works.all[0]()
        #expect(received.all == ["Le Guin", "Le Guin"])
        observation.dispose()
    }

    @Test func pruningKeepsTheTargetOfAnObservedAliasAndRelatedEntities() {
        cache.featuredAuthor.target = "le-guin"
        let observation = observe()
        // Pruning removes the other alias, too, besides the other author and her book.
        #expect(cache.pruneUnobservedValues() == 3)
        #expect(cache.currentUser.value?.name == "Lem")
        #expect(cache.ids(of: Book.self).sorted() == [1, 3])
        #expect(cache.featuredAuthor.target == nil)
        #expect(received.all == [])
        observation.dispose()
        let limited = observe(following: .none)
        #expect(cache.pruneUnobservedValues() == 2)
        #expect(cache.currentUser.value?.name == "Lem")
        limited.dispose()
        #expect(cache.pruneUnobservedValues() == 2)
        #expect(cache.currentUser.target == nil)
    }

    @Test func removingEverythingNotifiesOnceAndClearsTheAlias() {
        let observation = observe()
        #expect(received { cache.removeAll() } == ["nobody"])
        #expect(cache.currentUser.target == nil)
        #expect(received { cache.set(Author(id: "lem", name: "Lem")) } == [])
        observation.dispose()
    }
}
