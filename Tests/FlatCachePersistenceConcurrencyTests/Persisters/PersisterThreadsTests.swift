import FlatCachePersistence
import Foundation
import Testing

@testable import FlatCache
@testable import FlatCachePersistenceTestSupport

/// Several threads that use persisters and properties of one key.
struct PersisterThreadsTests {
    private typealias Memory = InMemoryStorage<String, PropertyListValue>

    private func number(
        _ storage: FailingStorage,
        _ behaviour: DefaultValuePersistBehaviour = []
    ) -> Persister<Int> {
        Persister(
            key: "a",
            storedBy: storage,
            defaultValue: 0,
            defaultValuePersistBehaviour: behaviour
        )
    }

    @Test func updatesByManyThreadsAndPersistersLoseNone() async {
        let storage = FailingStorage()
        let persisters = [number(storage), number(storage)]
        let ended = await withThreads(4) { index in
            for _ in 0..<500 { _ = try? persisters[index % 2].update { $0 += 1 } }
        }
        #expect(ended)
        #expect(persisters.map { $0.retrieveValue() } == [2000, 2000])
        #expect(storage.value("a") == .integer(2000))
    }

    @Test func listenersReceiveAllWritesInOneOrderThatEndsWithTheStoredValue() async {
        let storage = FailingStorage()
        let persisters = [number(storage), number(storage)]
        let histories = [Recorder<Int>(), Recorder<Int>()]
        let counter = OverlapCounter()
        let listenings = zip(persisters, histories).map { persister, history in
            persister.addUpdateListener { result in
                counter.pass { history.append((try? result.get().newValue) ?? -1) }
            }
        }
        let ended = await withThreads(4) { index in
            for step in 1...300 { try? persisters[index % 2].persist(index * 1000 + step) }
        }
        #expect(ended)
        // A thread of the delivery queue may make the last calls after the writers have returned.
        #expect(await until { histories.allSatisfy { $0.count == 1200 } })
        #expect(histories[0].all == histories[1].all)
        #expect(histories[0].all.last == persisters[0].retrieveValue())
        #expect(storage.value("a") == histories[0].all.last.map { .integer(Int64($0)) })
        #expect(counter.most == 1)
        for index in 0..<4 {
            let own = histories[0].all.filter { $0 / 1000 == index }
            #expect(own == own.sorted())
        }
        withExtendedLifetime(listenings) {}
    }

    @Test func manyThreadsThatNeedADefaultValueStoreItOnce() async {
        let storage = FailingStorage()
        let persister = number(storage, .persistWhenNil)
        let received = Recorder<Int>()
        let listening = persister.addUpdateListener {
            received.append((try? $0.get().newValue) ?? -1)
        }
        let read = Recorder<Int>()
        #expect(await withThreads(8) { _ in read.append(persister.retrieveValue()) })
        #expect(read.all == Array(repeating: 0, count: 8))
        // Another thread may make the call.
        #expect(await until { received.count > 0 })
        #expect(received.all == [0])
        withExtendedLifetime(listening) {}
    }

    private struct Preferences: Sendable {
        @Persisted(key: "volume", storedBy: Memory()) var volume = 3
    }

    @Test func structureOfWrappersIsSharedByThreads() async {
        let preferences = Preferences()
        #expect(await withThreads(2) { _ in preferences.volume = 4 })
        #expect(preferences.volume == 4)
    }

    @Test func defaultValueIsEvaluatedOnceHoweverManyThreadsNeedIt() async {
        let evaluations = Recorder<Int>()
        @Sendable func make() -> Int {
            evaluations.append(1)
            return 5
        }
        let value = Persisted(key: "a", storedBy: Memory(), defaultValue: make())
        #expect(evaluations.count == 0)
        let read = Recorder<Int>()
        #expect(await withThreads(8) { _ in read.append(value.wrappedValue) })
        #expect(read.all == Array(repeating: 5, count: 8))
        #expect(evaluations.count == 1)
    }
}
