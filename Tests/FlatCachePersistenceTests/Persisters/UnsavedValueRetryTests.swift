import FlatCacheTesting
import Foundation
import Testing

@testable import FlatCache
@testable import FlatCachePersistence
@testable import FlatCachePersistenceTestSupport

/// Values that could not be stored, and that a later read stores.
struct UnsavedValueRetryTests {
    private func number(
        _ storage: FailingStorage,
        _ behaviour: DefaultValuePersistBehaviour,
        _ errors: Recorder<PersistenceError>
    ) -> Persister<Int> {
        Persister(
            key: "a",
            storedBy: storage,
            defaultValue: 5,
            defaultValuePersistBehaviour: behaviour,
            onError: errors.append
        )
    }

    @Test func defaultThatCouldNotBeStoredIsStoredByALaterRead() {
        let storage = FailingStorage()
        let errors = Recorder<PersistenceError>()
        let number = number(storage, .persistWhenNil, errors)
        storage.fail(.write)
        for _ in 0..<3 { #expect(number.retrieveValue() == 5) }
        #expect(errors.all.map(\.operation) == [.write])
        #expect(storage.value("a") == nil)
        storage.fail([])
        #expect(number.retrieveValue() == 5)
        #expect(storage.value("a") == .integer(5))
        #expect(number.retrieveValue() == 5)
        #expect(number.remembered() == 5)
    }

    @Test(arguments: [FailingStorage.Failures.write, .keep])
    func defaultThatCouldNotReplaceACorruptValueDoesSoAtALaterRead(
        failure: FailingStorage.Failures
    ) {
        let storage = FailingStorage(["a": .string("corrupt")])
        let errors = Recorder<PersistenceError>()
        let number = number(storage, .persistOnError, errors)
        storage.fail(failure)
        for _ in 0..<3 { #expect(number.retrieveValue() == 5) }
        #expect(errors.count == 1)
        #expect(storage.value("a") == .string("corrupt"))
        storage.fail([])
        #expect(number.retrieveValue() == 5)
        #expect(storage.value("a") == .integer(5))
        #expect(storage.kept.all.allSatisfy { $0 == .string("corrupt") })
        #expect(number.retrieveValue() == 5)
    }

    @Test func retrieveValueOrThrowReplacesNoCorruptValue() {
        let storage = FailingStorage(["a": .string("corrupt")])
        let errors = Recorder<PersistenceError>()
        let number = number(storage, [.persistWhenNil, .persistOnError], errors)
        for _ in 0..<2 {
            #expect(throws: PersistenceError.self) { try number.retrieveValueOrThrow() }
            #expect(storage.value("a") == .string("corrupt"))
        }
        #expect(storage.kept.count == 0)
        #expect(number.retrieveValue() == 5)
        #expect(storage.value("a") == .integer(5))
    }

    @Test func retrieveValueOrThrowStoresADefaultForAMissingValue() throws {
        let storage = FailingStorage([:])
        let number = number(storage, .persistWhenNil, Recorder())
        #expect(try number.retrieveValueOrThrow() == 5)
        #expect(storage.value("a") == .integer(5))
    }

    @Test func propertyThatCouldNotBeStoredIsStoredByALaterRead() {
        let storage = FailingStorage(["a": .integer(1)])
        let errors = Recorder<PersistenceError>()
        let value = Persisted(wrappedValue: 0, key: "a", storedBy: storage, onError: errors.append)
        let other = Persister(key: "a", storedBy: storage, defaultValue: 0)
        let received = Recorder<Int>()
        let listening = other.addUpdateListener { result in
            if let update = try? result.get() { received.append(update.newValue) }
        }
        storage.fail(.write)
        value.wrappedValue = 2
        for _ in 0..<3 {
            #expect(value.wrappedValue == 2)
            #expect(other.retrieveValue() == 2)
        }
        #expect(errors.count == 1)
        #expect(storage.value("a") == .integer(1))
        storage.fail([])
        #expect(other.retrieveValue() == 2)
        #expect(storage.value("a") == .integer(2))
        #expect(value.wrappedValue == 2)
        #expect(received.all == [])
        withExtendedLifetime(listening) {}
    }

    @Test func corruptValueIsKeptBeforeAnUnsavedOneTakesItsPlace() {
        let storage = FailingStorage(["a": .string("corrupt")])
        let value = Persisted(wrappedValue: 0, key: "a", storedBy: storage, onError: { _ in })
        #expect(value.wrappedValue == 0)
        storage.fail(.keep)
        value.wrappedValue = 2
        #expect(value.wrappedValue == 2)
        #expect(storage.value("a") == .string("corrupt"))
        storage.fail([])
        #expect(value.wrappedValue == 2)
        #expect(storage.value("a") == .integer(2))
        #expect(storage.kept.all == [.string("corrupt")])
    }

    @Test func settingWithoutAReadKeepsACorruptValue() {
        let storage = FailingStorage(["a": .string("corrupt")])
        let value = Persisted(wrappedValue: 0, key: "a", storedBy: storage, onError: { _ in })
        value.wrappedValue = 2
        #expect(storage.value("a") == .integer(2))
        #expect(storage.kept.all == [.string("corrupt")])
        value.wrappedValue = 3
        #expect(storage.kept.all == [.string("corrupt")])
    }

    @Test func unsavedValueGivesWayToANewerOneOfAnotherProcess() {
        let storage = FailingStorage(["a": .integer(1)])
        let value = Persisted(wrappedValue: 0, key: "a", storedBy: storage, onError: { _ in })
        #expect(value.wrappedValue == 1)
        storage.fail(.write)
        value.wrappedValue = 2
        storage.changeSilently("a", to: .integer(3))
        storage.fail([])
        #expect(value.wrappedValue == 3)
        #expect(storage.value("a") == .integer(3))
    }

    @Test func containerThatCouldNotBeStoredIsStoredByALaterRead() {
        struct Settings: KeyValueStorage {
            let storage: FailingStorage
            let errorHandler: PersistenceErrorHandler? = { _ in }
            var level: KeyValueContainer<Int> { makeContainer(defaultValue: 0) }
        }
        let storage = FailingStorage()
        let settings = Settings(storage: storage)
        storage.fail(.write)
        settings.level.value = 2
        #expect(settings.level.value == 2)
        #expect(storage.value("level") == nil)
        storage.fail([])
        #expect(settings.level.value == 2)
        #expect(storage.value("level") == .integer(2))
    }

    @Test func attemptThatTookLongIsRepeatedLater() {
        var schedule = RetrySchedule()
        #expect(schedule.isDue(at: .zero))
        schedule.recordFailure(from: .zero, to: .milliseconds(1))
        #expect(schedule.isDue(at: .milliseconds(1)))
        schedule.recordFailure(from: .zero, to: .seconds(2))
        #expect(!schedule.isDue(at: .seconds(21)))
        #expect(schedule.isDue(at: .seconds(22)))
    }

    @Test(arguments: [false, true])
    func readsRetryASlowAttemptOnlyAfterTenTimesItsDuration(isDefault: Bool) {
        let storage = FailingStorage()
        let number = number(storage, isDefault ? .persistWhenNil : [], Recorder())
        let value = Persisted(wrappedValue: 0, key: "a", storedBy: storage, onError: { _ in })
        storage.fail(.write)
        storage.writeDuration = .seconds(1)
        if isDefault { _ = number.retrieveValue() } else { value.wrappedValue = 5 }
        storage.fail([])
        storage.writeDuration = .zero
        storage.clock.advance(by: .seconds(10) - .nanoseconds(1))
        #expect(number.retrieveValue() == 5)
        #expect(storage.value("a") == nil)
        storage.clock.advance(by: .nanoseconds(1))
        #expect(number.retrieveValue() == 5)
        #expect(storage.value("a") == .integer(5))
    }
}
