import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests values stored with their time of modification.
@Suite(.exclusive)
struct CacheStampingTests {
    let cache = Cache()

    private func note(_ text: String) -> Note { Note(id: 1, text: text) }
    private var text: String? { cache[Note.self, 1]?.text }

    /// An entity whose partial values are merged.
    struct Profile: Identifiable, Mergeable, Sendable {
        let id: Int
        var name: String?
        var town: String?

        func merged(with other: Profile) -> Profile {
            Profile(id: id, name: other.name ?? name, town: other.town ?? town)
        }
    }

    @Test(arguments: [false, true])
    func olderModificationsAreRejected(isInBatch: Bool) {
        let set = { [cache] (text: String, stamp: Int) in
            if isInBatch {
                cache.performBatchUpdates {
                    $0.set(Note(id: 1, text: text), modifiedAt: stamp).text
                }
            } else {
                cache.set(Note(id: 1, text: text), modifiedAt: stamp).text
            }
        }
        #expect(set("second", 2) == "second")
        let version = cache.version
        #expect(set("first", 1) == "second")
        #expect(cache.version == version)
        #expect(set("also second", 2) == "also second")
        #expect(set("third", 3) == "third")
        #expect(set("second again", 2) == "third")
        #expect(text == "third")
        cache.core.checkInvariants()
    }

    @Test func stampsAreOfAnyComparableType() {
        cache.set(note("b"), modifiedAt: "2026-11-02")
        cache.set(note("a"), modifiedAt: "2026-11-01")
        #expect(text == "b")
    }

    @Test func responseIsStampedAsAWhole() {
        cache.set(Note(id: 2, text: "newer"), modifiedAt: 9)
        let stored = cache.set(
            contentsOf: [note("a"), Note(id: 2, text: "older"), note("b")],
            modifiedAt: 5
        )
        #expect(stored.map(\.text) == ["a", "newer", "b"])
        #expect(cache.version == 2)
    }

    @Test func olderPartialValueFillsMissingProperties() {
        cache.set(Profile(id: 1, name: "Ursula K."), modifiedAt: 2)
        let whole = cache.set(Profile(id: 1, name: "Ursula", town: "Berkeley"), modifiedAt: 1)
        #expect(whole.name == "Ursula K.")
        #expect(whole.town == "Berkeley")
        // The stored value keeps the stamp of its newest part.
        cache.set(Profile(id: 1, name: "U."), modifiedAt: 1)
        #expect(cache[Profile.self, 1]?.name == "Ursula K.")
    }

    @Test func withoutAStampAValueIsStoredAndTheLatestStampCounts() {
        cache.set(note("stamped"), modifiedAt: 5)
        cache.set(note("edited here"))
        #expect(text == "edited here")
        cache.set(note("late"), modifiedAt: 4)
        #expect(text == "edited here")
        cache.set(note("newer"), modifiedAt: 6)
        #expect(text == "newer")
    }

    @Test func removedEntityHasNoStamp() {
        cache.set(note("new"), modifiedAt: 5)
        cache.remove(Note.self, id: 1)
        cache.set(note("old"), modifiedAt: 1)
        #expect(text == "old")
        cache.performBatchUpdates { batch in
            batch.remove(Note.self, id: 1)
            batch.set(note("older"), modifiedAt: 0)
        }
        #expect(text == "older")
    }

    @Test func stampIsRolledBackWithItsValue() {
        struct Failure: Error {}
        cache.set(note("old"), modifiedAt: 1)
        try? cache.performBatchUpdates { batch in
            batch.set(note("newest"), modifiedAt: 9)
            batch.set(Note(id: 2, text: "new"), modifiedAt: 9)
            throw Failure()
        }
        #expect(cache.set(note("new"), modifiedAt: 2).text == "new")
        #expect(cache.set(Note(id: 2, text: "first"), modifiedAt: 1).text == "first")
        cache.performBatchUpdates { batch in
            batch.set(note("third"), modifiedAt: 3)
            try? cache.performBatchUpdates { inner in
                inner.set(note("eighth"), modifiedAt: 8)
                throw Failure()
            }
            cache.performBatchUpdates { inner in _ = inner.set(note("fourth"), modifiedAt: 4) }
            #expect(batch.set(note("third again"), modifiedAt: 3).text == "fourth")
        }
        #expect(cache.set(note("fifth"), modifiedAt: 5).text == "fifth")
        // If the outer batch rolls back, so do the writes and stamps of the inner batch.
        try? cache.performBatchUpdates { _ in
            cache.performBatchUpdates { inner in _ = inner.set(note("seventh"), modifiedAt: 7) }
            throw Failure()
        }
        #expect(cache.set(note("sixth"), modifiedAt: 6).text == "sixth")
    }

    @Test func versionsAreComparedAsWell() {
        typealias Article = CacheVersioningTests.Article
        cache.set(Article(id: 1, headline: "", revision: 5), modifiedAt: 1)
        cache.set(Article(id: 1, headline: "", revision: 4), modifiedAt: 2)
        #expect(cache[Article.self, 1]?.revision == 5)
    }

    @Test func onSeveralThreadsTheNewestStays() {
        let ended = onThreads(4) { [cache] thread in
            for number in 0..<500 {
                let stamp = number * 4 + thread
                cache.set(Note(id: 1, text: "\(stamp)"), modifiedAt: stamp)
            }
        }
        #expect(ended)
        #expect(cache.isSettled())
        #expect(text == "1999")
    }

    @Test(arguments: [false, true])
    func stampIsRemovedWithItsValueDuringASnapshot(hasSnapshot: Bool) {
        cache.set(note("a"), modifiedAt: 10)
        func run() {
            cache.remove(Note.self, id: 1)
            cache.set(note("b"))
            cache.set(note("c"), modifiedAt: 5)
        }
        if hasSnapshot { cache.withSnapshot { _ in run() } } else { run() }
        #expect(cache.get(Note.self, id: 1)?.text == "c")
    }

    @Test func stampIsRemovedWithAValueRemovedAndStoredInABatch() {
        cache.set(note("a"), modifiedAt: 10)
        cache.performBatchUpdates { batch in
            batch.remove(Note.self, id: 1)
            batch.set(note("b"))
        }
        cache.set(note("c"), modifiedAt: 5)
        #expect(cache.get(Note.self, id: 1)?.text == "c")
    }

    @Test func rolledBackLevelLeavesTheStampsAsTheyWere() {
        cache.set(note("a"), modifiedAt: 10)
        cache.performBatchUpdates { batch in
            batch.remove(Note.self, id: 1)
            try? cache.performBatchUpdates { inner in
                inner.set(note("x"), modifiedAt: 3)
                throw CancellationError()
            }
        }
        cache.set(note("b"), modifiedAt: 5)
        #expect(cache.get(Note.self, id: 1)?.text == "b")
    }
}
