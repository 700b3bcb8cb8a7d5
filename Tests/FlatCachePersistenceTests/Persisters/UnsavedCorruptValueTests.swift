import Foundation
import Testing

@testable import FlatCache
@testable import FlatCachePersistence
@testable import FlatCachePersistenceTestSupport

/// An unsaved value over a stored value that is corrupt or can't be read.
struct UnsavedCorruptValueTests {
    private static let corrupt = PropertyListValue.string("corrupt")

    private let storage = FailingStorage(["a": Self.corrupt])

    private var number: Persisted<Int> {
        Persisted(wrappedValue: 0, key: "a", storedBy: storage, onError: { _ in })
    }

    @Test func secondAssignmentKeepsACopyToo() {
        let number = number
        storage.fail(.keep)
        number.wrappedValue = 2
        number.wrappedValue = 3
        #expect(storage.value("a") == Self.corrupt)
        #expect(number.wrappedValue == 3)
        storage.fail([])
        number.wrappedValue = 4
        #expect(storage.value("a") == .integer(4))
        #expect(storage.kept.all == [Self.corrupt])
    }

    @Test func valueIsCopiedOnceThoughTheWriteIsTriedAgain() {
        let number = number
        storage.fail(.write)
        number.wrappedValue = 2
        #expect(storage.kept.all == [Self.corrupt])
        number.wrappedValue = 3
        storage.fail([])
        number.wrappedValue = 4
        #expect(storage.value("a") == .integer(4))
        #expect(storage.kept.all == [Self.corrupt])
    }

    @Test func updateKeepsACopyToo() throws {
        let number = number
        storage.fail(.keep)
        number.wrappedValue = 2
        #expect(throws: PersistenceError.self) {
            try number.projectedValue.update { $0 += 1 }
        }
        #expect(storage.value("a") == Self.corrupt)
        storage.fail([])
        try number.projectedValue.update { $0 += 1 }
        #expect(storage.value("a") == .integer(3))
        #expect(storage.kept.all == [Self.corrupt])
    }

    @Test func valueThatCannotBeReadIsNotOverwrittenByASecondAssignment() {
        let number = number
        storage.fail(.read)
        number.wrappedValue = 2
        number.wrappedValue = 3
        #expect(storage.value("a") == Self.corrupt)
        #expect(number.wrappedValue == 3)
    }

    @Test func objectOfTheSameKeyKeepsACopyToo() throws {
        let storage = FailingStorage(["a": .data(Data("garbage".utf8))])
        let first = PersistentObject<[Int]>(
            repository: StorageRepository(key: "a", storedBy: storage),
            onError: { _ in }
        )
        let list = Persisted<[Int]>(
            wrappedValue: [],
            key: "a",
            storedBy: storage,
            transformer: JSONTransformer(),
            onError: { _ in }
        )
        storage.fail(.keep)
        list.wrappedValue = [1]
        storage.fail([])
        first.object = [2]
        try first.save()
        #expect(storage.kept.all == [.data(Data("garbage".utf8))])
    }

    @Test func readOfAnotherTypeDoesNotDropTheCopy() {
        let shelf = Shelf(storage: storage)
        let container: KeyValueContainer<Int> = shelf.makeContainer(key: "a", defaultValue: 0)
        storage.fail(.keep)
        container.value = 2
        storage.fail([])
        #expect(shelf.value(forKey: "a", as: String.self) == nil)
        #expect(storage.value("a") == .integer(2))
        #expect(storage.kept.all == [Self.corrupt])
    }

    @Test func containerReadsItsUnsavedValueThoughTheStorageCannotBeRead() {
        let storage = FailingStorage(["a": .integer(1)])
        let shelf = Shelf(storage: storage)
        let container: KeyValueContainer<Int> = shelf.makeContainer(key: "a", defaultValue: 0)
        storage.fail([.read, .write])
        container.value = 2
        #expect(container.value == 2)
        #expect(container.retrieveValue() == 2)
    }

    @Test func objectStoresAValueThatAnotherUserCouldNotStore() throws {
        let storage = FailingStorage()
        let property = Persisted<PropertyListValue?>(key: "a", storedBy: storage, onError: { _ in })
        let object = PersistentObject<[Int]>(
            repository: StorageRepository(key: "a", storedBy: storage),
            onError: { _ in }
        )
        storage.fail(.write)
        property.wrappedValue = .data(Data("[1]".utf8))
        object.object = [1]
        #expect(throws: PersistenceError.self) { try object.save() }
        #expect(object.hasUnsavedChanges)
        storage.fail([])
        try object.save()
        #expect(storage.value("a") == .data(Data("[1]".utf8)))
    }

    #if os(Linux)
    @Test func corruptValueOfAPlainCallIsKept() throws {
        let suite = try TemporarySuite()
        let level = Persisted(wrappedValue: 0, key: "level", userDefaults: suite.defaults)
        level.wrappedValue = 3
        #expect(level.wrappedValue == 3)
        suite.defaults.set("high", forKey: "level")
        level.wrappedValue = 4
        let copies = suite.defaults.dictionaryRepresentation().filter {
            $0.key.hasPrefix("level.corrupt")
        }
        #expect(copies.values.compactMap { $0 as? String } == ["high"])
        #expect(level.wrappedValue == 4)
    }
    #endif
}
