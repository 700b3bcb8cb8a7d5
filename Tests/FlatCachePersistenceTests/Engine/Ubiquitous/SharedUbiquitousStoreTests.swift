import FlatCache
import Foundation
import Testing

@testable import FlatCache
@testable import FlatCachePersistence
@testable import FlatCachePersistenceTestSupport

struct SharedUbiquitousStoreTests {
    private let store = FakeUbiquitousStore()

    private func limitError(_ body: () throws -> Void) throws -> String {
        let error = try #require(throws: PersistenceError.self) { try body() }
        #expect(error.operation == .write)
        return "\(error.underlying)"
    }

    @Test func valuesAreStoredReadAndRemoved() throws {
        let storage = SharedUbiquitousStore(store)
        try storage.storeValue(.string("dark"), key: "theme")
        #expect(store.values() == ["theme": .string("dark")])
        #expect(storage.keys == ["theme"])
        #expect(try storage.retrieveValue(for: "theme") == .string("dark"))
        try storage.removeValue(for: "theme")
        #expect(try storage.retrieveValue(for: "theme") == nil)
        #expect(store.values().isEmpty)
    }

    @Test func valuesOfOtherDevicesReachListenersOfTheKey() throws {
        let storage = SharedUbiquitousStore(store)
        let persister = Persister(key: "a", storedBy: storage, defaultValue: 0)
        let received = Recorder<Int>()
        let token = persister.addUpdateListener {
            if let update = try? $0.get() { received.append(update.newValue) }
        }
        store.change(["a": .integer(1)])
        store.change(["a": .integer(2), "b": .integer(7)])
        store.change(["b": .integer(8)])
        #expect(received.all == [1, 2])
        token.dispose()
        store.change(["a": .integer(3)])
        #expect(received.count == 2)
        #expect(persister.retrieveValue() == 3)
    }

    @Test func keyThatIsTooLongIsRefused() throws {
        let storage = SharedUbiquitousStore(store)
        try storage.storeValue(.bool(true), key: String(repeating: "é", count: 32))
        let error = try limitError {
            try storage.storeValue(.bool(true), key: String(repeating: "é", count: 32) + "a")
        }
        #expect(error == "iCloud takes 64 bytes in a key, not 65")
        #expect(store.setCount == 1)
    }

    @Test func newKeyBeyondTheLimitIsRefusedButExistingKeysAreNot() throws {
        let storage = SharedUbiquitousStore(store)
        for number in 0..<1024 { store.set(.bool(true), forKey: "\(number)") }
        let error = try limitError { try storage.storeValue(.bool(true), key: "new") }
        #expect(error == "iCloud takes 1024 keys, not 1025")
        try storage.storeValue(.bool(false), key: "7")
        #expect(store.values().count == 1024)
    }

    @Test func valuesThatAreTooLargeAloneOrTogetherAreRefused() throws {
        let storage = SharedUbiquitousStore(store)
        let (limit, half) = (1 << 20, 1 << 19)
        #expect(
            try limitError { try storage.storeValue(.data(Data(count: limit + 1)), key: "a") }
                == "iCloud takes \(limit) bytes in all values, not \(limit + 1)"
        )
        try storage.storeValue(.data(Data(count: limit)), key: "a")
        try storage.storeValue(.data(Data(count: half)), key: "a")
        try storage.storeValue(.data(Data(count: half)), key: "b")
        #expect(
            try limitError { try storage.storeValue(.string("é"), key: "c") }
                == "iCloud takes \(limit) bytes in all values, not \(limit + 2)"
        )
        #expect(try storage.retrieveValue(for: "c") == nil)
        try storage.removeValue(for: "b")
        try storage.storeValue(.array([.string("é")]), key: "c")
    }

    @Test func synchronizingLoadsNewValuesAndThrowsIfItFails() throws {
        let storage = SharedUbiquitousStore(store)
        let persister = Persister(key: "a", storedBy: storage, defaultValue: 0)
        #expect(persister.retrieveValue() == 0)
        store.arriving(["a": .integer(5)])
        try storage.synchronize()
        #expect(persister.retrieveValue() == 5)
        store.refuseToSynchronize()
        #expect(throws: PersistenceError.self) { try storage.synchronize() }
    }

    @Test func corruptValueIsCopiedToAnotherKey() throws {
        let storage = SharedUbiquitousStore(store)
        try storage.storeValue(.string("garbage"), key: "a")
        let copy = try #require(try storage.keepCorruptValue(for: "a"))
        #expect(copy.hasPrefix("a.corrupt-"))
        #expect(store.values()[copy] == .string("garbage"))
        #expect(try storage.keepCorruptValue(for: "none") == nil)
        let long = String(repeating: "k", count: 60)
        try storage.storeValue(.string("garbage"), key: long)
        #expect(throws: PersistenceError.self) { try storage.keepCorruptValue(for: long) }
    }

    @Test func objectInICloudFollowsChangesAndLoadsThemWhenSynchronized()
        throws
    {
        let storage = SharedUbiquitousStore(store)
        let object = PersistentObject<[Int]>(
            repository: StorageRepository(key: "object", storedBy: storage)
        )
        object.object = [1]
        try object.save()
        #expect(store.values()["object"] == .data(Data("[1]".utf8)))
        store.change(["object": .data(Data("[2]".utf8))])
        #expect(object.object == [2])
        store.arriving(["object": .data(Data("[3]".utf8))])
        try object.synchronize()
        #expect(object.object == [3])
        object.object = [4]
        store.change([:])
        store.arriving(["object": nil])
        try object.synchronize()
        #expect(store.values()["object"] == .data(Data("[4]".utf8)))
    }
}
