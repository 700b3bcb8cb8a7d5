import FlatCachePersistence
import Foundation
import Observation
import Testing

@testable import FlatCache
@testable import FlatCachePersistenceTestSupport

struct PersisterListeningTests {
    private typealias Number = Persister<Int>

    private func number(_ storage: FailingStorage) -> Number {
        Persister(key: "a", storedBy: storage, defaultValue: 0, onError: { _ in })
    }

    @Test func listenerReceivesEachChangeOfAnyPersisterWithTheReadValue() throws {
        let storage = FailingStorage()
        let persister = number(storage)
        let received = Recorder<Number.Update>()
        let listening = persister.addUpdateListener { result in
            if let update = try? result.get() { received.append(update) }
            #expect((try? result.get().newValue) == persister.retrieveValue())
        }
        try persister.persist(1)
        try number(storage).persist(2)
        try storage.storeValue(.integer(3), key: "a")
        storage.changeFromOutside("a", to: .integer(4))
        try persister.removeValue()
        storage.changeFromOutside("a", to: .integer(5))
        storage.changeFromOutside("a", to: nil)
        let values = [1, 2, 3, 4, 0, 5, 0]
        #expect(received.all.map(\.newValue) == values)
        #expect(
            received.all.map(\.event) == values.map { $0 == 0 ? .removed : .persisted($0) }
        )
        withExtendedLifetime(listening) {}
    }

    @Test func initialCallFollowsTheUpdateInWhichAnObservationBegins() throws {
        let persister = number(FailingStorage())
        let received = Recorder<Int>()
        let tokens = Recorder<Disposable>()
        try persister.update { value in
            value = 1
            tokens.append(persister.observe(initial: true) { received.append($0) })
            #expect(received.all.isEmpty)
        }
        #expect(Set(received.all) == [1])
        for token in tokens.all { token.dispose() }
    }

    @Test func storingAnEqualValueNotifiesNoListener() throws {
        let storage = FailingStorage(["a": .integer(1)])
        let persister = number(storage)
        let received = Recorder<Int>()
        let listening = persister.addUpdateListener {
            received.append((try? $0.get().newValue) ?? -1)
        }
        try persister.persist(1)
        storage.changeFromOutside("a", to: .integer(1))
        try persister.removeValue()
        try persister.removeValue()
        #expect(received.all == [0])
        withExtendedLifetime(listening) {}
    }

    @Test func listenerMayReadWriteAndRemoveTheSameValue() throws {
        let persister = number(FailingStorage())
        let received = Recorder<Int>()
        let listening = persister.addUpdateListener { result in
            let value = (try? result.get().newValue) ?? -1
            received.append(value)
            #expect(persister.retrieveValue() == value)
            switch value {
            case 1...3: try? persister.persist(value + 1)
            case 4: _ = try? persister.update { $0 = 9 }
            case 9: try? persister.removeValue()
            default: break
            }
        }
        try persister.persist(1)
        #expect(received.all == [1, 2, 3, 4, 9, 0])
        withExtendedLifetime(listening) {}
    }

    @Test func listenerOfWhatAnUpdateOfAnotherKeyWritesMayWriteThatKey() throws {
        let storage = FailingStorage()
        let first = number(storage)
        let second = Persister(key: "b", storedBy: storage, defaultValue: 0)
        let listening = second.addUpdateListener { _ in try? first.persist(100) }
        try first.update { value in
            try second.persist(1)
            #expect(second.retrieveValue() == 1)
            value = 1
        }
        #expect(first.retrieveValue() == 100)
        withExtendedLifetime(listening) {}
    }

    @Test func listenerThatHasEndedIsNotCalledAgainWhereverItIsEndedFrom() throws {
        let persister = number(FailingStorage())
        let received = Recorder<Int>()
        let token = Locked<Disposable?>(nil)
        let listening = persister.addUpdateListener { _ in
            received.append(1)
            token.withLock { $0 }?.dispose()
            try? persister.update { $0 += 1 }
        }
        token.withLock { $0 = listening }
        try persister.persist(1)
        try persister.persist(5)
        #expect(received.all == [1])
        var other: Disposable? = persister.addUpdateListener { _ in received.append(2) }
        try persister.persist(6)
        other = nil
        try persister.persist(7)
        #expect(received.all == [1, 2])
        #expect(other == nil)
    }

    @Test func listenerWithADeliveryOfItsOwnIsCalledThereInOrder() async throws {
        let persister = number(FailingStorage())
        let received = Recorder<Int>()
        let listening = persister.addUpdateListener(
            delivery: .isolated(to: MainActor.shared)
        ) { result in
            MainActor.assertIsolated()
            received.append((try? result.get().newValue) ?? -1)
        }
        for value in 1...20 { try persister.persist(value) }
        #expect(await until { received.count == 20 })
        #expect(received.all == Array(1...20))
        withExtendedLifetime(listening) {}
    }

    @Test func unreadableOrCorruptChangeNotifiesListenersOfAnError() throws {
        let storage = FailingStorage(["a": .integer(1)])
        let persister = number(storage)
        let errors = Recorder<PersistenceError.Operation>()
        let listening = persister.addUpdateListener { result in
            if case .failure(let error as PersistenceError) = result {
                errors.append(error.operation)
            }
        }
        storage.changeFromOutside("a", to: .string("two"))
        #expect(errors.all == [.untransform])
        #expect(persister.retrieveValue() == 0)
        storage.changeFromOutside("a", to: .integer(2))
        #expect(persister.retrieveValue() == 2)
        storage.fail(.read)
        storage.changeFromOutside("a", to: .integer(3))
        #expect(errors.all == [.untransform, .read])
        #expect(persister.retrieveValue() == 2)
        storage.fail([])
        storage.changeFromOutside("a", to: .integer(3))
        #expect(persister.retrieveValue() == 3)
        withExtendedLifetime(listening) {}
    }

    @Test func tokenKeepsItsPersisterAndNothingElseDoes() throws {
        weak var known: Number?
        var listening: Disposable?
        do {
            let persister = number(FailingStorage())
            known = persister
            listening = persister.addUpdateListener { _ in }
        }
        #expect(known != nil)
        listening?.dispose()
        listening = nil
        #expect(known == nil)
    }

    @Test func valuesBeginsWithTheCurrentOneAndEndsOnTheNewest() async throws {
        let persister = number(FailingStorage(["a": .integer(1)]))
        var iterator = persister.values.makeAsyncIterator()
        #expect(await iterator.next() == 1)
        try persister.persist(2)
        try persister.persist(3)
        #expect(await iterator.next() == 3)
    }

    @Test func updatesBringsEachChangeAndEachErrorInOrder() async throws {
        let storage = FailingStorage()
        let persister = number(storage)
        var iterator = persister.changes.makeAsyncIterator()
        try persister.persist(1)
        storage.changeFromOutside("a", to: .string("two"))
        try persister.removeValue()
        #expect(try await iterator.next()?.get() == .persisted(1))
        let second = await iterator.next()
        #expect(throws: PersistenceError.self) { try second?.get() }
        #expect(try await iterator.next()?.get() == .removed(defaultValue: 0))
    }

    @MainActor
    @Test func observableNotifiesTrackersOfTheNextChange() async throws {
        let storage = FailingStorage()
        let observable = number(storage).observable
        let changes = Recorder<Int>()
        func track() {
            withObservationTracking {
                _ = observable.value
            } onChange: {
                changes.append(1)
            }
        }
        track()
        storage.changeFromOutside("a", to: .integer(1))
        #expect(await until { changes.count == 1 })
        #expect(observable.value == 1)
        track()
        observable.value = 2
        #expect(await until { changes.count == 2 })
        #expect(storage.value("a") == .integer(2))
        try observable.source.update { $0 += 1 }
        #expect(observable.source.retrieveValue() == 3)
    }
}
