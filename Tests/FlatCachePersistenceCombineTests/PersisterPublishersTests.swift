#if canImport(Combine) || OpenCombine

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif
import FlatCache
import FlatCacheCombine
import FlatCachePersistence
import FlatCachePersistenceCombine
import Testing

struct PersisterPublishersTests {
    private let persister = Persister(
        key: "a",
        storedBy: InMemoryStorage<String, PropertyListValue>(),
        defaultValue: 0
    )
    private let received = Locked<[Int]>([])

    private var all: [Int] { received.withLock { $0 } }

    @Test func currentValueIsSentFirstThenEachChange() throws {
        let subscription = persister.publisher.sink { value in
            received.withLock { $0.append(value) }
        }
        #expect(all == [0])
        try persister.persist(1)
        try persister.removeValue()
        #expect(all == [0, 1, 0])
        subscription.cancel()
        try persister.persist(2)
        #expect(all == [0, 1, 0])
    }

    @Test func updatesMadeByASubscriberAreSentToo() throws {
        let subscription = persister.updatesPublisher.sink { result in
            guard let value = try? result.get().newValue else { return }
            if value == 1 {
                try? persister.persist(2)
                try? persister.persist(3)
            }
            received.withLock { $0.append(value) }
        }
        #expect(all == [])
        try persister.persist(1)
        #expect(all == [1, 2, 3])
        subscription.cancel()
    }

    @Test func persistentObjectPublishesObjectsAndUpdates() throws {
        let storage = InMemoryStorage<String, PropertyListValue>()
        let object = PersistentObject<Int>(
            repository: StorageRepository(key: "a", storedBy: storage),
            defaultValue: 0
        )
        let events = Locked<[PersistentObject<Int>.Update.Event]>([])
        let subscriptions = [
            object.publisher.sink { value in received.withLock { $0.append(value ?? -1) } },
            object.updatesPublisher.sink { result in
                if let event = try? result.get().event { events.withLock { $0.append(event) } }
            },
        ]
        object.object = 5
        try object.save()
        #expect(all.first == 0)
        #expect(all.last == 5)
        #expect(events.withLock { $0 } == [.changed, .saved])
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test func subscriptionKeepsThePersisterUntilItIsCancelled() {
        weak var known: Persister<Int>?
        var subscription: AnyCancellable?
        do {
            let other = Persister(
                key: "a",
                storedBy: InMemoryStorage<String, PropertyListValue>(),
                defaultValue: 0
            )
            known = other
            subscription = other.publisher.sink { _ in }
        }
        #expect(known != nil)
        subscription = nil
        #expect(known == nil)
        #expect(subscription == nil)
    }
}

#endif
