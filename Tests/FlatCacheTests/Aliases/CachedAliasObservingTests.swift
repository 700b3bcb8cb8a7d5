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
        cache.point(.currentUser, to: "lem")
    }

    private func observe(
        initial: Bool = false,
        following: RelationshipDepth = .allRelationships
    ) -> Disposable {
        cache.observe(.currentUser, initial: initial, following: following) { [received] author in
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
        #expect(received { cache.set(Author(id: "lem", name: "Lem"), as: .currentUser) } == ["Lem"])
        #expect(received { cache.remove(Author.self, id: "lem") } == ["nobody"])
        #expect(received { cache.set(Author(id: "lem", name: "back")) } == ["back"])
        observation.dispose()
    }

    @Test func observersFollowTheName() {
        let observation = observe()
        #expect(received { cache.point(.currentUser, to: "le-guin") } == ["Le Guin"])
        #expect(received { rename("lem", "the old target") } == [])
        #expect(received { cache.update(Book.self, id: 1) { $0.year = 1 } } == [])
        #expect(received { rename("le-guin", "Ursula") } == ["Ursula"])
        #expect(received { cache.update(Book.self, id: 2) { $0.year = 1 } } == ["Ursula"])
        #expect(received { cache.point(.currentUser, to: "lem") } == ["the old target"])
        #expect(received { rename("le-guin", "the old target, too") } == [])
        observation.dispose()
    }

    @Test func missingEntityNotifiesWhenItArrives() {
        let observation = observe()
        #expect(received { cache.point(.currentUser, to: "kafka") } == ["nobody"])
        #expect(received { cache.set(Author(id: "kafka", name: "Kafka")) } == ["Kafka"])
        observation.dispose()
    }

    @Test func aliasWithoutATargetCanBeObserved() {
        cache.point(.currentUser, to: nil)
        let observation = observe()
        #expect(received { rename("lem", "not observed") } == [])
        #expect(received { cache.point(.currentUser, to: "le-guin") } == ["Le Guin"])
        #expect(received { cache.point(.currentUser, to: nil) } == ["nobody"])
        #expect(received { rename("le-guin", "not observed any more") } == [])
        #expect(received { cache.point(.currentUser, to: nil) } == [])
        observation.dispose()
    }

    @Test func typeThatTheCacheHasNeverSeenMayBeObserved() {
        struct Draft: Identifiable, Sendable {
            let id: Int
        }
        let observation = cache.observe(CachedAlias<Draft>("open")) { [received] draft in
            received.append(draft.map { "\($0.id)" } ?? "none")
        }
        cache.point(CachedAlias<Draft>("open"), to: 7)
        cache.set(Draft(id: 7))
        #expect(received.all == ["none", "7"])
        cache.core.checkInvariants()
        observation.dispose()
    }

    @Test func aliasAndTargetInOneBatchNotifyOnce() {
        let observation = observe()
        let calls = received {
            cache.performBatchUpdates { _ in
                rename("lem", "the old target")
                cache.point(.currentUser, to: nil)
                rename("le-guin", "the new target")
                cache.point(.currentUser, to: "le-guin")
                cache.update(Book.self, id: 2) { $0.year = 1 }
            }
        }
        #expect(calls == ["the new target"])
        #expect(
            received { cache.set(Author(id: "kafka", name: "Kafka"), as: .currentUser) } == [
                "Kafka"
            ]
        )
        let nothing = received {
            cache.performBatchUpdates { _ in
                cache.point(.currentUser, to: "lem")
                cache.point(.currentUser, to: "kafka")
            }
        }
        #expect(nothing == [])
        observation.dispose()
    }

    @Test func otherAliasesAndTypesDontNotify() {
        let observation = observe()
        #expect(received { cache.point(CachedAlias<Author>.featured, to: "lem") } == [])
        #expect(received { cache.point(CachedAlias<Book>("currentUser"), to: 1) } == [])
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
        #expect(received { cache.point(.currentUser, to: "le-guin") } == ["Le Guin"])
        #expect(received { rename("le-guin", "renamed, too") } == ["renamed, too"])
        observation.dispose()
        #expect(cache.core.watchedCount == 0)
    }

    @Test func initialCallIsMadeAtOnceWithoutATarget() {
        let observation = observe(initial: true)
        #expect(received.all == ["Lem"])
        cache.point(.currentUser, to: "nobody we know")
        let ofTheAbsent = observe(initial: true)
        cache.point(.currentUser, to: nil)
        let ofNowhere = observe(initial: true)
        #expect(received.all == ["Lem", "nobody", "nobody", "nobody", "nobody", "nobody"])
        for token in [observation, ofTheAbsent, ofNowhere] { token.dispose() }
        #expect(cache.core.watchedCount == 0)
    }

    @Test func observerMayPointTheAliasElsewhere() {
        let cache = cache
        let received = received
        let observation = cache.observe(.currentUser) { author in
            received.append(author?.name ?? "nobody")
            if author == nil { cache.point(.currentUser, to: "le-guin") }
        }
        cache.point(.currentUser, to: nil)
        #expect(received.all == ["nobody", "Le Guin"])
        observation.dispose()
    }

    @Test func disposalEndsCalls() {
        let observation = observe()
        #expect(cache.core.watchedCount == 4)
        observation.dispose()
        #expect(cache.core.watchedCount == 0)
        #expect(received { cache.point(.currentUser, to: "le-guin") } == [])
    }

    @Test func deliveryOfItsOwnCallsLaterWithTheLatestValue() {
        let works = Recorder<@Sendable () -> Void>()
        let later = CacheDelivery { works.append($0) }
        let observation = cache.observe(.currentUser, delivery: later) { [received] author in
            received.append(author?.name ?? "nobody")
        }
        rename("lem", "first")
        cache.point(.currentUser, to: "le-guin")
        #expect(received.all == [])
        works.all[0]()
        #expect(received.all == ["Le Guin", "Le Guin"])
        observation.dispose()
    }

    @Test func pruningKeepsTheTargetOfAnObservedAliasAndRelatedEntities() {
        cache.point(CachedAlias<Author>.featured, to: "le-guin")
        let observation = observe()
        // Pruning removes the other alias, too, besides the other author and her book.
        #expect(cache.pruneUnobservedValues() == 3)
        #expect(cache[.currentUser]?.name == "Lem")
        #expect(cache.ids(of: Book.self).sorted() == [1, 3])
        #expect(cache.id(of: CachedAlias<Author>.featured) == nil)
        #expect(received.all == [])
        observation.dispose()
        let limited = observe(following: .none)
        #expect(cache.pruneUnobservedValues() == 2)
        #expect(cache[.currentUser]?.name == "Lem")
        limited.dispose()
        #expect(cache.pruneUnobservedValues() == 2)
        #expect(cache.id(of: .currentUser) == nil)
    }

    @Test func removingEverythingNotifiesOnceAndClearsTheAlias() {
        let observation = observe()
        #expect(received { cache.removeAll() } == ["nobody"])
        #expect(cache.id(of: .currentUser) == nil)
        #expect(received { cache.set(Author(id: "lem", name: "Lem")) } == [])
        observation.dispose()
    }
}
