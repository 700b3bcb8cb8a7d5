import Foundation
import Testing

@testable import FlatCache
@testable import FlatCachePersistence
@testable import FlatCachePersistenceTestSupport

struct PersisterTests {
    typealias Number = Persister<Int>

    func number(
        _ storage: FailingStorage,
        _ behaviour: DefaultValuePersistBehaviour = [],
        onError: PersistenceErrorHandler? = nil
    ) -> Number {
        Persister(
            key: "a",
            storedBy: storage,
            defaultValue: 0,
            defaultValuePersistBehaviour: behaviour,
            onError: onError
        )
    }

    // MARK: Reading

    @Test func valueIsReadFromItsStorageOnceUntilItChanges() throws {
        let storage = FailingStorage(["a": .integer(1)])
        let persister = number(storage)
        #expect(storage.readCount == 0)
        for _ in 0..<5 { #expect(persister.retrieveValue() == 1) }
        #expect(storage.readCount == 1)
        try persister.persist(2)
        for _ in 0..<5 { #expect(persister.retrieveValue() == 2) }
        #expect(storage.readCount == 1)
        // The first read doesn't count as a change.
        #expect(persister.remembered() == 2)
        let other = number(FailingStorage(["a": .integer(1)]))
        _ = other.retrieveValue()
        #expect(other.remembered() == 1)
    }

    @Test func persistersOfOneKeyReadEachOthersWrites() throws {
        let storage = FailingStorage()
        let (first, second) = (number(storage), number(storage))
        try first.persist(1)
        #expect(second.retrieveValue() == 1)
        try second.update { $0 += 1 }
        #expect(first.retrieveValue() == 2)
        try storage.storeValue(.integer(3), key: "a")
        #expect(first.retrieveValue() == 3)
        #expect(second.retrieveValue() == 3)
        try storage.removeValue(for: "a")
        #expect(first.retrieveValue() == 0)
        #expect(second.retrieveValue() == 0)
    }

    @Test func persistersOfTwoTypesReadOneValueEachAsItUnderstandsIt() throws {
        let storage = FailingStorage(["a": .integer(1)])
        let errors = Recorder<PersistenceError>()
        let text = Persister(
            key: "a",
            storedBy: storage,
            defaultValue: "none",
            onError: errors.append
        )
        #expect(text.retrieveValue() == "none")
        #expect(errors.all.map(\.operation) == [.untransform])
        #expect(throws: PersistenceError.self) { try text.retrieveValueOrThrow() }
        try text.persist("one")
        #expect(text.retrieveValue() == "one")
        #expect(throws: PersistenceError.self) { try number(storage).retrieveValueOrThrow() }
    }

    @Test func unreadableValueReadsAsTheDefaultAndReportsOneError() {
        let storage = FailingStorage(["a": .integer(1)])
        let errors = Recorder<PersistenceError>()
        let persister = number(storage, onError: errors.append)
        storage.fail(.read)
        for _ in 0..<3 { #expect(persister.retrieveValue() == 0) }
        #expect(throws: PersistenceError.self) { try persister.retrieveValueOrThrow() }
        #expect(errors.all.map(\.operation) == [.read])
        storage.fail([])
        #expect(persister.retrieveValue() == 1)
    }

    // MARK: Writing

    @Test func failedWriteOrRemovalThrowsAndChangesNoValue() throws {
        let storage = FailingStorage(["a": .integer(1)])
        let persister = number(storage)
        let received = Recorder<Number.Update.Event>()
        let listening = persister.addUpdateListener { result in
            if let update = try? result.get() { received.append(update.event) }
        }
        storage.fail([.write, .remove])
        let failure = #expect(throws: PersistenceError.self) { try persister.persist(2) }
        #expect(failure?.operation == .write)
        #expect(failure?.description.contains("'a'") == true)
        #expect(throws: PersistenceError.self) { try persister.removeValue() }
        #expect(throws: PersistenceError.self) { try persister.update { $0 += 1 } }
        #expect(persister.retrieveValue() == 1)
        #expect(received.all.isEmpty)
        withExtendedLifetime(listening) {}
    }

    @Test func updateThatThrowsChangesNothing() throws {
        let storage = FailingStorage(["a": .integer(1)])
        let persister = number(storage)
        struct Halt: Error {}
        #expect(throws: Halt.self) {
            try persister.update { value in
                value = 5
                throw Halt()
            }
        }
        #expect(persister.retrieveValue() == 1)
        #expect(storage.value("a") == .integer(1))
    }

    @Test func updateDoesNotOverwriteUnreadableOrCorruptValues() {
        let storage = FailingStorage(["a": .string("one")])
        let persister = number(storage)
        #expect(throws: PersistenceError.self) { try persister.update { $0 = 2 } }
        storage.fail(.read)
        #expect(throws: PersistenceError.self) { try number(storage).update { $0 = 2 } }
        #expect(storage.value("a") == .string("one"))
    }

    @Test func updateMayReadAndWriteTheSameValueAndItsLastValueCounts() throws {
        let persister = number(FailingStorage())
        let received = Recorder<Int>()
        let listening = persister.addUpdateListener {
            received.append((try? $0.get().newValue) ?? -1)
        }
        try persister.update { value in
            try persister.persist(7)
            #expect(persister.retrieveValue() == 7)
            // No listener has been called yet, since listeners are called under no lock.
            #expect(received.all == [])
            value += 1
        }
        #expect(persister.retrieveValue() == 1)
        #expect(received.all == [7, 1])
        withExtendedLifetime(listening) {}
    }

    @Test func updateEvaluatesTheDefaultOnceAndOutsideTheLock() async throws {
        let storage = FailingStorage()
        let evaluations = Recorder<Int>()
        let written = Locked<Number?>(nil)
        let persister = Persister(
            key: "a",
            storedBy: storage,
            defaultValue: {
                evaluations.append(1)
                // Another thread uses the key meanwhile.
                let writer = written.withLock { $0 }
                let thread = RunningThread { try? writer?.removeValue() }
                #expect(thread.wait())
                return 5
            }()
        )
        written.withLock { $0 = persister }
        try await onOwnThread { _ = try persister.update { $0 += 1 } }
        #expect(persister.retrieveValue() == 6)
        #expect(evaluations.count == 1)
        written.withLock { $0 = nil }
    }

    @Test func typesOwnOptionalIsRemovedByNil() throws {
        let storage = FailingStorage()
        let persister = Persister<Int?>(key: "a", storedBy: storage)
        try persister.update { $0 = 4 }
        #expect(storage.value("a") == .integer(4))
        try persister.update { $0 = nil }
        #expect(storage.value("a") == nil)
        try persister.persist(nil)
        #expect(persister.retrieveValue() == nil)
    }

    // MARK: Custom storages

    @Test func storageThatCallsItsListenersItselfUpdatesAllPersisters() throws {
        let storage = PlainStorage()
        let persisters = (0..<2).map { _ in
            Persister(
                key: "a",
                storedBy: storage,
                transformer: JSONTransformer<Int>(),
                defaultValue: 0
            )
        }
        let received = Recorder<Int>()
        let listening = persisters[0].addUpdateListener {
            received.append((try? $0.get().newValue) ?? -1)
        }
        #expect(persisters.map { $0.retrieveValue() } == [0, 0])
        try persisters[0].persist(1)
        #expect(persisters.map { $0.retrieveValue() } == [1, 1])
        try persisters[1].update { $0 += 1 }
        #expect(persisters.map { $0.retrieveValue() } == [2, 2])
        storage.storeValue(Data("3".utf8), key: "a")
        #expect(persisters.map { $0.retrieveValue() } == [3, 3])
        try persisters[0].removeValue()
        #expect(persisters.map { $0.retrieveValue() } == [0, 0])
        #expect(received.all == [1, 2, 3, 0])
        withExtendedLifetime(listening) {}
    }

    @Test func defaultDoesNotReplaceAValueThatTheStorageCannotCopy() {
        let storage = PlainStorage()
        storage.storeValue(Data("{".utf8), key: "a")
        let errors = Recorder<PersistenceError>()
        let persister = Persister(
            key: "a",
            storedBy: storage,
            transformer: JSONTransformer<Int>(),
            defaultValue: 0,
            defaultValuePersistBehaviour: .persistOnError,
            onError: errors.append
        )
        #expect(persister.retrieveValue() == 0)
        #expect(storage.retrieveValue(for: "a") == Data("{".utf8))
        #expect(errors.all.map(\.operation) == [.keepCorrupt])
    }
}
