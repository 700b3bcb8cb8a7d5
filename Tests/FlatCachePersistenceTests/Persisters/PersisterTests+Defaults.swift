import Foundation
import Testing

@testable import FlatCache
@testable import FlatCachePersistence
@testable import FlatCachePersistenceTestSupport

extension PersisterTests {
    @Test func defaultValueIsStoredOnlyWhereItIsMeantToBe() throws {
        let storage = FailingStorage()
        #expect(number(storage).retrieveValue() == 0)
        #expect(number(storage, .persistOnError).retrieveValue() == 0)
        #expect(storage.value("a") == nil)
        #expect(number(storage, .persistWhenNil).retrieveValue() == 0)
        #expect(storage.value("a") == .integer(0))
    }

    @Test func defaultNeverReplacesAnUnreadableValue() {
        let storage = FailingStorage(["a": .integer(1)])
        storage.fail(.read)
        let persister = number(storage, [.persistWhenNil, .persistOnError], onError: { _ in })
        #expect(persister.retrieveValue() == 0)
        #expect(storage.value("a") == .integer(1))
        storage.fail([])
        #expect(persister.retrieveValue() == 1)
        #expect(storage.kept.count == 0)
    }

    @Test func defaultReplacesACorruptValueAfterACopyIsKept() {
        let storage = FailingStorage(["a": .string("one")])
        let errors = Recorder<PersistenceError>()
        let other = number(storage, .persistWhenNil, onError: { _ in })
        #expect(other.retrieveValue() == 0)
        #expect(storage.value("a") == .string("one"))
        let persister = number(storage, .persistOnError, onError: errors.append)
        #expect(persister.retrieveValue() == 0)
        #expect(storage.value("a") == .integer(0))
        #expect(storage.kept.all == [.string("one")])
        #expect(errors.all.map(\.operation) == [.untransform])
        #expect(other.retrieveValue() == 0)
    }

    @Test func corruptValueThatCannotBeCopiedStays() {
        let storage = FailingStorage(["a": .string("one")])
        storage.fail(.keep)
        let errors = Recorder<PersistenceError>()
        let persister = number(storage, .persistOnError, onError: errors.append)
        #expect(persister.retrieveValue() == 0)
        #expect(storage.value("a") == .string("one"))
        #expect(errors.all.map(\.operation) == [.keepCorrupt])
    }

    @Test func defaultThatCannotBeStoredIsReadAndReported() {
        let storage = FailingStorage()
        storage.fail(.write)
        let errors = Recorder<PersistenceError>()
        let persister = number(storage, .persistWhenNil, onError: errors.append)
        #expect(persister.retrieveValue() == 0)
        #expect(errors.all.map(\.operation) == [.write])
    }

    @Test func defaultValueMayWriteTheVeryValueThatItIsTheDefaultOf() {
        let storage = FailingStorage()
        let written = Locked<Number?>(nil)
        let persister = Persister(
            key: "a",
            storedBy: storage,
            defaultValue: {
                try? written.withLock { $0 }?.persist(8)
                return 5
            }(),
            defaultValuePersistBehaviour: .persistWhenNil
        )
        written.withLock { $0 = persister }
        _ = persister.retrieveValue()
        #expect(persister.retrieveValue() == 8)
        #expect(storage.value("a") == .integer(8))
        written.withLock { $0 = nil }
    }
}
