import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests of writes to observed entities that need no transaction.
struct CacheExchangingTests {
    let cache = Cache()

    enum Write: CaseIterable {
        case set, replace, update, handle

        func callAsFunction<Value: Identifiable & Sendable>(
            _ value: Value,
            to cache: Cache
        ) where Value.ID: Sendable {
            switch self {
            case .set: cache.set(value)
            case .replace: cache.replace(value)
            case .update: cache.update(Value.self, id: value.id) { $0 = value }
            case .handle: cache.cached(Value.self, id: value.id).value = value
            }
        }
    }

    @Test(arguments: Write.allCases)
    func observersReceiveTheOldAndTheNewValue(write: Write) {
        cache.set(Note(id: 1, text: "old"))
        let order = Recorder<Int>()
        let changes = Recorder<EntityChange<Note>>()
        let tokens = [
            cache.cached(Note.self, id: 1).observe { _ in order.append(1) },
            cache.cached(Note.self, id: 1).observeChanges { change in
                order.append(2)
                changes.append(change)
            },
            cache.cached(Note.self, id: 1).following(.none).observe { _ in order.append(3) },
        ]
        write(Note(id: 1, text: "new"), to: cache)
        #expect(order.all == [1, 2, 3])
        #expect(changes.all.map(\.kind) == [.updated])
        #expect(changes.all.map { $0.old?.text } == ["old"])
        #expect(changes.all.map { $0.new?.text } == ["new"])
        #expect(changes.all.map(\.causes) == [[CacheKey(Note.self, id: 1)]])
        #expect(changes.all.map(\.version) == [cache.version])
        for token in tokens { token.dispose() }
        cache.core.checkInvariants()
    }

    @Test(arguments: Write.allCases)
    func observersOfDependentsReceiveTheCause(write: Write) {
        cache.set(contentsOf: [Station(id: 0, next: [1]), Station(id: 1, next: [2])])
        cache.set(Station(id: 2, next: [0]))
        let changes = Recorder<EntityChange<Station>>()
        let tokens = [
            cache.cached(Station.self, id: 0).observeChanges(changes.append),
            cache.cached(Station.self, id: 0).following(.levels(1)).observeChanges(changes.append),
            cache.cached(Station.self, id: 0).following(.levels(2)).observeChanges(changes.append),
        ]
        write(Station(id: 2, revision: 1, next: [0]), to: cache)
        #expect(changes.all.map(\.kind) == [.related, .related])
        #expect(changes.all.map { $0.old == $0.new } == [true, true])
        let cause = CacheKey(Station.self, id: 2)
        #expect(changes.all.map(\.causes) == [[cause], [cause]])
        for token in tokens { token.dispose() }
        cache.core.checkInvariants()
    }

    @Test(arguments: Write.allCases, [RelationshipDepth.allRelationships, .levels(1)])
    func observersFollowOtherRelationships(write: Write, following: RelationshipDepth) {
        cache.set(contentsOf: [Station(id: 0, next: [1]), Station(id: 1), Station(id: 2)])
        let received = Recorder<Station.ID>()
        let token = cache.cached(Station.self, id: 0).following(following).observe {
            received.append($0.id)
        }
        write(Station(id: 0, next: [2]), to: cache)
        #expect(received.count == 1)
        cache.touch(1)
        #expect(received.count == 1)
        cache.touch(2)
        #expect(received.count == 2)
        token.dispose()
        cache.core.checkInvariants()
        #expect(cache.core.watchedCount == 0)
    }

    @Test func equalValueNotifiesNobody() {
        cache.set(Station(id: 0, next: [1]))
        let received = Recorder<Station.ID>()
        let token = cache.record(0, in: received)
        let version = cache.version
        cache.set(Station(id: 0, next: [1]))
        #expect(received.all == [])
        #expect(cache.version == version)
        token.dispose()
    }

    @Test func observerOfAnExchangeMayWriteAndDispose() {
        cache.set(Note(id: 1, text: "0"))
        let texts = Recorder<String>()
        let token = Recorder<Disposable>()
        token.append(
            cache.cached(Note.self, id: 1).observe { [cache] note in
                texts.append(note.text)
                if texts.count < 3 { cache.set(Note(id: 1, text: note.text + "+")) }
                if texts.count == 3 { token.all[0].dispose() }
            }
        )
        cache.set(Note(id: 1, text: "1"))
        cache.set(Note(id: 1, text: "2"))
        #expect(texts.all == ["1", "1+", "1++"])
        cache.core.checkInvariants()
    }
}
