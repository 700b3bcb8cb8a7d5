import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests the changes that observers of a type receive.
@Suite(.exclusive)
struct CacheObservingAllTests {
    @Test func initialCallInsertsAllPresentValues() {
        let cache = Cache()
        cache.set(contentsOf: [Note(id: 1, text: "a"), Note(id: 2, text: "b")])
        let commits = Recorder<TypeChanges<Note>>()
        let token = cache.observeAll(Note.self, initial: true, commits.append)
        #expect(commits.count == 1)
        #expect(commits.all[0].version == cache.version)
        #expect(commits.all[0].inserted.map(\.id).sorted() == [1, 2])
        cache.remove(Note.self, id: 1)
        #expect(commits.count == 2)
        #expect(commits.all[1].removed.map(\.id) == [1])
        token.dispose()
    }

    @Test func withoutValuesThereIsNoInitialCall() {
        let cache = Cache()
        let commits = Recorder<TypeChanges<Note>>()
        let token = cache.observeAll(Note.self, initial: true, commits.append)
        #expect(commits.count == 0)
        cache.set(Note(id: 1, text: "a"))
        #expect(commits.all.map(\.inserted.count) == [1])
        token.dispose()
    }

    @Test func insideABatchTheInitialCallShowsTheStateBeforeIt() {
        let cache = Cache()
        cache.set(Note(id: 1, text: "a"))
        let commits = Recorder<TypeChanges<Note>>()
        var token: Disposable?
        cache.performBatchUpdates { batch in
            batch.set(Note(id: 2, text: "b"))
            token = cache.observeAll(Note.self, initial: true, commits.append)
            batch.set(Note(id: 3, text: "c"))
            #expect(commits.count == 0)
        }
        #expect(commits.all.map { $0.inserted.map(\.id).sorted() } == [[1], [2, 3]])
        token?.dispose()
    }

    @Test func observersEndedInTheirInitialCallReceiveNoChanges() {
        let cache = Cache()
        cache.set(Note(id: 1, text: "a"))
        let commits = Recorder<Int>()
        let token = Locked<Disposable?>(nil)
        let scheduler = ManualScheduler()
        let observation = cache.observeAll(Note.self, initial: true, delivery: scheduler.delivery) {
            commits.append($0.changes.count)
            token.withLock { $0 }?.dispose()
        }
        token.withLock { $0 = observation }
        cache.set(Note(id: 2, text: "b"))
        scheduler.runAll()
        #expect(commits.all == [1])
    }

    @Test("No commit is lost or counted twice beside the initial call", arguments: [false, true])
    func initialCallBesideWriters(inBatches: Bool) {
        let cache = Cache()
        let count = 400
        let writers = (0..<2).map { number in
            RunningThread {
                for index in 0..<count {
                    let note = Note(id: index * 2 + number, text: "")
                    if inBatches {
                        cache.performBatchUpdates { _ = $0.set(note) }
                    } else {
                        cache.set(note)
                    }
                }
            }
        }
        var tokens: [Disposable] = []
        var received: [Recorder<Note.ID>] = []
        while !writers.allSatisfy(\.hasEnded), tokens.count < 50 {
            let ids = Recorder<Note.ID>()
            received.append(ids)
            tokens.append(
                cache.observeAll(Note.self, initial: true) { commit in
                    for change in commit.changes { ids.append(change.id) }
                }
            )
        }
        for writer in writers { #expect(writer.wait()) }
        #expect(cache.isSettled())
        for ids in received { #expect(ids.all.sorted() == Array(0..<2 * count)) }
        for token in tokens { token.dispose() }
    }

    let cache = Cache()
    let received = Recorder<String>()

    private func stations(_ ids: ClosedRange<Int>, revision: Int = 0) -> [Station] {
        ids.map { Station(id: $0, revision: revision) }
    }

    @Test func eachWriteNotifiesOnce() {
        let observation = cache.recordAll(Station.self, in: received)
        cache.set(Station(id: 1))
        cache.set(Station(id: 1, revision: 1))
        cache.replace(Station(id: 1, revision: 2))
        cache.replace(Station(id: 2))
        cache.update(Station.self, id: 1) { $0.revision = 3 }
        cache.remove(Station.self, id: 1)
        #expect(received.all == ["+1", "~1", "~1", "+2", "~1", "-1"])
        observation.dispose()
    }

    @Test func oneCommitNotifiesOnceInTheOrderOfTheFirstWrites() {
        cache.set(contentsOf: stations(1...3))
        let observation = cache.recordAll(Station.self, in: received)
        cache.performBatchUpdates { batch in
            batch.touch(3)
            batch.set(Station(id: 9))
            batch.remove(Station.self, id: 1)
            batch.touch(9)
            cache.performBatchUpdates { inner in
                inner.touch(2)
                inner.touch(3)
                inner.set(Station(id: 5))
            }
            batch.set(Station(id: 4))
            #expect(received.all == [])
        }
        #expect(received.all == ["~3 +9 -1 ~2 +5 +4"])
        observation.dispose()
    }

    @Test func manyValuesAtOnceAreOneCommit() {
        cache.set(contentsOf: stations(1...2))
        let observation = cache.recordAll(Station.self, in: received)
        cache.set(contentsOf: stations(1...4, revision: 1))
        #expect(received.all == ["~1 ~2 +3 +4"])
        observation.dispose()
    }

    @Test func removingAllNotifiesThePresentTypes() {
        cache.set(contentsOf: stations(1...3))
        cache.set(Note(id: 1, text: ""))
        let notes = Recorder<String>()
        let tokens = [
            cache.recordAll(Station.self, in: received), cache.recordAll(Note.self, in: notes),
        ]
        cache.removeAll(Station.self)
        #expect(received.all.map { $0.split(separator: " ").sorted() } == [["-1", "-2", "-3"]])
        #expect(notes.all == [])
        cache.removeAll()
        #expect(received.count == 1)
        #expect(notes.all == ["-1"])
        cache.removeAll()
        #expect(received.count + notes.count == 2)
        for token in tokens { token.dispose() }
    }

    @Test func observingATypeKeepsNothingFromBeingPruned() {
        cache.set(contentsOf: stations(1...2))
        let tokens = [
            cache.recordAll(Station.self, in: received),
            cache.cached(Station.self, id: 2).observe { _ in },
        ]
        #expect(cache.pruneUnobservedValues() == 1)
        #expect(received.all == ["-1"])
        for token in tokens { token.dispose() }
    }

    @Test func writesToOtherwiseUnobservedEntitiesNotify() {
        // Without the observation, the writes would exchange the value in place, outside
        // transactions.
        cache.set(Station(id: 1))
        let observation = cache.recordAll(Station.self, in: received)
        let handle = cache.cached(Station.self, id: 1)
        cache.set(Station(id: 1, revision: 1))
        cache.replace(Station(id: 1, revision: 2))
        cache.update(Station.self, id: 1) { $0.revision = 3 }
        handle.value = Station(id: 1, revision: 4)
        handle.update { $0.revision = 5 }
        handle.value = nil
        #expect(received.all == ["~1", "~1", "~1", "~1", "~1", "-1"])
        observation.dispose()
        cache.set(Station(id: 1, revision: 1))
        cache.touch(1)
        #expect(received.count == 6)
    }

    // MARK: Commits without notification

    @Test func commitsWithoutChangesDontNotify() {
        struct Refusal: Error {}
        cache.set(contentsOf: stations(1...2))
        let observation = cache.recordAll(Station.self, in: received)
        cache.set(Station(id: 1))
        cache.replace(Station(id: 1))
        cache.set(contentsOf: stations(1...2))
        cache.update(Station.self, id: 1) { _ in }
        cache.remove(Station.self, id: 3)
        try? cache.performBatchUpdates { batch in
            batch.touch(1)
            batch.set(Station(id: 3))
            throw Refusal()
        }
        _ = try? cache.update(Station.self, id: 1) { station in
            station.revision += 1
            throw Refusal()
        }
        cache.performBatchUpdates { batch in
            batch.set(Station(id: 3))
            batch.remove(Station.self, id: 3)
            batch.touch(1)
            batch.replace(Station(id: 1))
            batch.remove(Station.self, id: 2)
            batch.set(Station(id: 2))
        }
        #expect(received.all == [])
        observation.dispose()
    }

    @Test func changesOfOtherTypesDontNotify() {
        struct Refusal: Error {}
        cache.set(contentsOf: stations(1...1))
        let observation = cache.recordAll(Station.self, in: received)
        cache.set(Note(id: 1, text: "a"))
        cache.performBatchUpdates { batch in
            batch.set(Note(id: 1, text: "b"))
            batch.touch(1)
            batch.replace(Station(id: 1))
        }
        cache.performBatchUpdates { batch in
            batch.set(Station(id: 2))
            batch.set(Note(id: 1, text: "c"))
            batch.remove(Station.self, id: 2)
        }
        cache.performBatchUpdates { batch in
            batch.set(Note(id: 1, text: "d"))
            try? cache.performBatchUpdates { inner in
                inner.touch(1)
                throw Refusal()
            }
        }
        #expect(received.all == [])
        observation.dispose()
    }

    @Test func unchangedWritesOfACommitArentAmongTheChanges() {
        struct Refusal: Error {}
        cache.set(contentsOf: stations(1...3))
        let observation = cache.recordAll(Station.self, in: received)
        cache.performBatchUpdates { batch in
            batch.touch(1)
            batch.touch(3)
            try? cache.performBatchUpdates { inner in
                inner.touch(2)
                inner.set(Station(id: 4))
                throw Refusal()
            }
            batch.replace(Station(id: 1))
        }
        #expect(received.all == ["~3"])
        observation.dispose()
    }

    @Test func changesOfRelatedEntitiesDontNotify() {
        cache.set(contentsOf: [Book(id: 1, author: "A")])
        let observation = cache.recordAll(Book.self, in: received)
        cache.set(Author(id: "A", name: "a"))
        #expect(received.all == [])
        observation.dispose()
    }

    @Test func typesOfOneNameAreDifferentTypes() {
        struct Station: Identifiable, Sendable {
            let id: Int
        }
        let observation = cache.recordAll(FlatCacheTestSupport.Station.self, in: received)
        cache.set(Station(id: 1))
        #expect(received.all == [])
        cache.set(FlatCacheTestSupport.Station(id: 1))
        #expect(received.all == ["+1"])
        observation.dispose()
    }
}
