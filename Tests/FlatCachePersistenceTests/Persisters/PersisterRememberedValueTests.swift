import Foundation
import Testing

@testable import FlatCache
@testable import FlatCachePersistence
@testable import FlatCachePersistenceTestSupport

/// The remembered value of a persister, and the reads of its storage.
struct PersisterRememberedValueTests {
    @Test func storageThatNotifiesLateIsReadUntilThen() throws {
        let storage = PlainStorage(callsListeners: false)
        let number = Persister(
            key: "key",
            storedBy: storage,
            transformer: JSONTransformer<Int>(),
            defaultValue: 0
        )
        let received = Recorder<Int>()
        let listening = number.addUpdateListener { received.append((try? $0.get().newValue) ?? -1) }
        for value in 1...3 {
            try number.persist(value)
            #expect(number.retrieveValue() == value)
        }
        storage.callListeners(to: "key")
        #expect(number.retrieveValue() == 3)
        #expect(received.all.last == 3)
        listening.dispose()
    }

    @Test func listenerIsNotifiedOnlyOfNewValues() throws {
        let storage = FailingStorage(["key": .integer(1)])
        let number = Persister(key: "key", storedBy: storage, defaultValue: 0)
        let received = Recorder<Int>()
        let listening = number.addUpdateListener { received.append((try? $0.get().newValue) ?? -1) }
        // The storage had this value from the beginning.
        storage.changeFromOutside("key", to: .integer(1))
        #expect(received.all == [])
        storage.changeFromOutside("key", to: .integer(2))
        #expect(received.all == [2])
        listening.dispose()
    }

    @Test func fileThatIsWrittenSlowlyReportsOneError() throws {
        let storage = FailingStorage(["key": .integer(1)])
        let number = Persister(key: "key", storedBy: storage, defaultValue: 0, onError: { _ in })
        let received = Recorder<String>()
        let listening = number.addUpdateListener { result in
            switch result {
            case .success(let update): received.append("\(update.newValue)")
            case .failure: received.append("error")
            }
        }
        for text in ["{", "{a", "{ab"] { storage.changeFromOutside("key", to: .string(text)) }
        #expect(received.all == ["error"])
        storage.changeFromOutside("key", to: .integer(2))
        storage.fail(.read)
        for text in ["{", "{a"] { storage.changeFromOutside("key", to: .string(text)) }
        #expect(received.all == ["error", "2", "error"])
        storage.fail([])
        storage.changeFromOutside("key", to: .integer(2))
        storage.changeFromOutside("key", to: .string("{"))
        #expect(received.all == ["error", "2", "error", "2", "error"])
        listening.dispose()
    }

    @Test func repeatedErrorIsReportedAgain() throws {
        let storage = FailingStorage()
        let errors = Recorder<PersistenceError>()
        let number = Persister(
            key: "key",
            storedBy: storage,
            defaultValue: 0,
            onError: errors.append
        )
        for round in 1...3 {
            try storage.storeValue(.string("no number"), key: "key")
            for _ in 0..<3 { #expect(number.retrieveValue() == 0) }
            #expect(errors.count == round)
            try storage.storeValue(.integer(5), key: "key")
            #expect(number.retrieveValue() == 5)
        }
    }
}
