import FlatCache
import Foundation
import Testing

@testable import FlatCachePersistence
@testable import FlatCachePersistenceTestSupport

@Suite struct KeyValueStorageTests {
    @Test func storageOfDataAndOneOfPropertyListsTakeTheSameValues() throws {
        func check(_ storage: some KeyValueStorage) throws {
            storage.setValue(["a": Date(timeIntervalSinceReferenceDate: 0.5)], forKey: "dates")
            #expect(
                storage.value(forKey: "dates") == ["a": Date(timeIntervalSinceReferenceDate: 0.5)]
            )
            try storage.setValueOrThrow("x", forKey: "text")
            #expect(try storage.retrieveValueOrThrow(forKey: "text", as: String.self) == "x")
            storage.setValue(Int?.none, forKey: "text")
            #expect(storage.value(forKey: "text", as: String.self) == nil)
            try storage.removeValue(forKey: "dates")
            #expect(storage.value(forKey: "dates", as: Int.self) == nil)
        }
        try check(ListStorage())
        try check(InMemoryStorage<String, Data>())
        try check(Shelf(storage: ListStorage(), keyPrefix: "p."))
    }

    @Test func keysBeginWithThePrefix() throws {
        let storage = ListStorage()
        Shelf(storage: storage, keyPrefix: "p.").setValue(1, forKey: "a")
        #expect(storage.keys == ["p.a"])
        #expect(storage.value(forKey: "p.a") == 1)
    }

    @Test func valueOfAnotherTypeIsReportedOnceAndNotConverted() throws {
        let shelf = Shelf(storage: ListStorage())
        shelf.setValue("1", forKey: "a")
        #expect(shelf.value(forKey: "a", as: Int.self) == nil)
        #expect(shelf.value(forKey: "a", as: Int.self) == nil)
        #expect(shelf.reported == [.untransform])
        let error = try #require(throws: PersistenceError.self) {
            try shelf.retrieveValueOrThrow(forKey: "a", as: Int.self)
        }
        #expect(error.operation == .untransform && error.key == "a")
        shelf.setValue(2, forKey: "a")
        #expect(shelf.value(forKey: "a") == 2)
        shelf.setValue("1", forKey: "a")
        #expect(shelf.value(forKey: "a", as: Int.self) == nil)
        #expect(shelf.reported == [.untransform, .untransform])
    }

    @Test func unreadableValueIsAnError() throws {
        let shelf = Shelf(storage: RefusingStorage())
        shelf.setValue(1, forKey: "a")
        shelf.storage.unreadable.withLock { _ = $0.insert("a") }
        #expect(shelf.value(forKey: "a", as: Int.self) == nil)
        #expect(shelf.reported == [.read])
        #expect(throws: PersistenceError.self) {
            try shelf.retrieveValueOrThrow(forKey: "a", as: Int.self)
        }
    }

    @Test func valueThatCannotBeStoredIsReportedAndRead() throws {
        let shelf = Shelf(storage: RefusingStorage())
        shelf.setValue(1, forKey: "a")
        shelf.storage.unwritable.withLock { _ = $0.insert("a") }
        shelf.setValue(2, forKey: "a")
        #expect(shelf.reported == [.write])
        #expect(shelf.value(forKey: "a") == 2)
        #expect(shelf.storage.values.withLock { $0["a"] } == .integer(1))
        shelf.storage.unwritable.withLock { $0 = [] }
        shelf.setValue(3, forKey: "a")
        shelf.storage.values.withLock { $0["a"] = .integer(4) }
        #expect(shelf.value(forKey: "a") == 4, "what was not stored is not kept for longer")
    }

    @Test func throwingWriteThatFailsChangesNothing() throws {
        let shelf = Shelf(storage: RefusingStorage())
        shelf.storage.unwritable.withLock { _ = $0.insert("a") }
        #expect(throws: PersistenceError.self) { try shelf.setValueOrThrow(2, forKey: "a") }
        #expect(throws: PersistenceError.self) { try shelf.removeValue(forKey: "a") }
        #expect(shelf.value(forKey: "a", as: Int.self) == nil)
        #expect(shelf.reported.isEmpty)
    }

    @Test func valueWithoutAFormIsReported() throws {
        let shelf = Shelf(storage: ListStorage())
        shelf.setValue(Date(timeIntervalSinceReferenceDate: .nan), forKey: "a")
        #expect(shelf.reported == [.transform])
        #expect(shelf.storage.keys.isEmpty)
    }

    // MARK: Removing all

    @Test func removalOfAllValuesIncludesUnsavedOnes() throws {
        var shelf = Shelf(storage: RefusingStorage())
        shelf.keyPrefix = "user."
        var name: KeyValueContainer<String?> { shelf.makeContainer(key: "name") }
        shelf.storage.unwritable.withLock { $0 = ["user.name"] }
        name.value = "Ann"
        #expect(name.value == "Ann")
        shelf.storage.unwritable.withLock { $0 = [] }
        try shelf.removeAll()
        #expect(name.value == nil)
        #expect(shelf.storage.values.withLock { $0.isEmpty })
        #expect(shelf.storage.channels.openKeys().isEmpty)
    }

    @Test func removingAllTouchesOnlyTheOwnPrefix() throws {
        let storage = ListStorage()
        let mine = Shelf(storage: storage, keyPrefix: "a.")
        let others = Shelf(storage: storage, keyPrefix: "ab.")
        for shelf in [mine, others] {
            shelf.setValue(1, forKey: "x")
            shelf.setValue(2, forKey: "y")
        }
        storage.setValue(3, forKey: "a")
        try mine.removeAll()
        #expect(Set(storage.keys) == ["ab.x", "ab.y", "a"])
    }

    @Test(arguments: ["", "a", "settings2"])
    func unsafePrefixRemovesNoValue(_ prefix: String) throws {
        let shelf = Shelf(storage: ListStorage(), keyPrefix: prefix)
        shelf.setValue(1, forKey: "x")
        let error = try #require(throws: PersistenceError.self) { try shelf.removeAll() }
        #expect(error.description.contains("keyPrefix"))
        #expect(shelf.value(forKey: "x") == 1)
    }

    @Test func removingAllGoesOnAfterAFailure() throws {
        let shelf = Shelf(storage: RefusingStorage(), keyPrefix: "a.")
        for key in ["x", "y", "z"] { shelf.setValue(1, forKey: key) }
        shelf.storage.unwritable.withLock { _ = $0.insert("a.y") }
        #expect(throws: PersistenceError.self) { try shelf.removeAll() }
        #expect(shelf.storage.keys == ["a.y"])
    }

    @Test func removingAllNotifiesListeners() throws {
        let shelf = Shelf(storage: ListStorage(), keyPrefix: "a.")
        let container: KeyValueContainer<Int> = shelf.makeContainer(key: "x", defaultValue: 0)
        container.value = 5
        let received = Locked<[Int]>([])
        let token = container.observeChanges { result in
            if case .success(let update) = result {
                received.withLock { $0.append(update.newValue) }
            }
        }
        try shelf.removeAll()
        token.dispose()
        #expect(received.withLock { $0 } == [0])
    }
}
