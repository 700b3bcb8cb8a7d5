import FlatCachePersistence
import Foundation
import Testing

@testable import FlatCache
@testable import FlatCachePersistenceTestSupport

/// Several persistent objects and persisters of one stored value.
struct PersistentObjectSharingTests {
    private typealias Numbers = PersistentObject<[Int]>

    @Test func objectsOfOneFileAgreeAfterASave() throws {
        let folder = try TemporaryFolder()
        let (first, second) = (Numbers(file: folder.file("a")), Numbers(file: folder.file("a")))
        first.object = [1]
        #expect(second.object == nil)
        try first.save()
        #expect(second.object == [1])
        #expect(!second.hasUnsavedChanges)
        second.object = nil
        try second.save()
        #expect(first.object == nil)
    }

    @Test func objectWithUnsavedChangesKeepsThemUntilItIsSaved() throws {
        let folder = try TemporaryFolder()
        let first = Numbers(file: folder.file("a"))
        let second = Numbers(file: folder.file("a"))
        second.object = [2]
        first.object = [1]
        try first.save()
        #expect(second.object == [2])
        try second.save()
        #expect(first.object == [2])
    }

    @Test func deallocatedObjectWithoutChangesDoesNotOverwriteNewerData() throws {
        let folder = try TemporaryFolder()
        let file = folder.file("a")
        let newer = Numbers(file: file)
        newer.object = [0]
        try newer.save()
        var stale: Numbers? = Numbers(file: file)
        #expect(stale?.object == [0])
        newer.object = [1]
        try newer.save()
        // Without a notification to the objects.
        try Data("[2]".utf8).write(to: file)
        stale = nil
        #expect(try String(contentsOf: file, encoding: .utf8) == "[2]")
    }

    @Test func deallocatedObjectWithUnsavedChangesAppliesItsRule() async throws {
        let folder = try TemporaryFolder()
        let file = folder.file("a")
        let newer = Numbers(file: file)
        var stale: Numbers? = Numbers(file: file, conflictRule: .keepExternal)
        stale?.object = [2]
        newer.object = [1]
        try newer.save()
        stale = nil
        #expect(try String(contentsOf: file, encoding: .utf8) == "[1]")
        stale = Numbers(file: file)
        stale?.object = [2]
        newer.object = [3]
        try newer.save()
        stale = nil
        // The thread that watches the file may hold the object for a moment.
        #expect(await until { newer.object == [2] })
        #expect(try String(contentsOf: file, encoding: .utf8) == "[2]")
    }

    @Test func objectAndAPersisterOfOneKeyAgree() throws {
        let storage = InMemoryStorage<String, PropertyListValue>()
        let persister = Persister(
            key: "a",
            storedBy: storage,
            transformer: JSONTransformer<[Int]>(),
            defaultValue: []
        )
        let object = Numbers(repository: StorageRepository(key: "a", storedBy: storage))
        try persister.persist([1])
        #expect(object.object == [1])
        object.object = [2]
        try object.save()
        #expect(persister.retrieveValue() == [2])
        try persister.removeValue()
        #expect(object.object == nil)
    }

    @Test func userDefaultsHoldAnObjectAsData() throws {
        let name = "FlatCache-\(UUID().uuidString)"
        let defaults = try #require(UserDefaults(suiteName: name))
        defer { try? UserDefaultsStorage(defaults).removeValue(for: "a.b") }
        let object = Numbers(userDefaultsKey: "a.b", userDefaults: defaults)
        let other = Numbers(userDefaultsKey: "a.b", userDefaults: defaults)
        object.object = [1]
        try object.save()
        #expect(defaults.data(forKey: "a.b") == Data("[1]".utf8))
        #expect(other.object == [1])
        try UserDefaultsStorage(defaults).storeValue(.data(Data("[2]".utf8)), key: "a.b")
        #expect(object.object == [2])
        defaults.set(Data("[3]".utf8), forKey: "a.b")
        try object.synchronize()
        #expect(object.object == [3])
    }

    @Test func objectStaysIdenticalIfTheStoredDataIsUnchanged() throws {
        let storage = InMemoryStorage<String, Data>(["a": Data(#"{"number":1}"#.utf8)])
        let object = PersistentObject<Counted>(
            repository: StorageRepository(key: "a", storedBy: storage)
        )
        let before = try #require(object.object)
        let persister = Persister(
            key: "a",
            storedBy: storage,
            transformer: JSONTransformer<Counted>(),
            defaultValue: Counted(number: 0)
        )
        try persister.update { counted in
            try persister.persist(Counted(number: 2))
            counted = Counted(number: 1)
        }
        #expect(object.object === before)
    }

    @Test func objectsOfAStorageWithoutChannelsSeeEachOthersChanges() throws {
        let storage = PlainStorage()
        let first = Numbers(repository: StorageRepository(key: "a", storedBy: storage))
        let second = Numbers(repository: StorageRepository(key: "a", storedBy: storage))
        first.object = [1]
        try first.save()
        #expect(second.object == [1])
        storage.storeValue(Data("[2]".utf8), key: "a")
        #expect(first.object == [2])
    }

    @Test func objectReadsAValueThatAPersisterCouldNotStore() {
        let storage = FailingStorage()
        let persisted = Persisted<PropertyListValue?>(
            key: "a",
            storedBy: storage,
            onError: { _ in }
        )
        let object = Numbers(
            repository: StorageRepository(key: "a", storedBy: storage),
            onError: { _ in }
        )
        storage.fail(.write)
        persisted.wrappedValue = .data(Data("[1]".utf8))
        #expect(object.object == [1])
    }
}

private final class Counted: Codable, Sendable {
    let number: Int

    init(number: Int) {
        self.number = number
    }
}
