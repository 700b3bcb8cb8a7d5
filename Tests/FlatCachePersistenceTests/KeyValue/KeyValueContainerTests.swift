import FlatCache
import Foundation
import TestSupport
import Testing

@testable import FlatCachePersistence
@testable import FlatCachePersistenceTestSupport

private enum Theme: String, Codable, Sendable { case light, dark }

extension InMemoryStorage where Key == String, Value == PropertyListValue {
    fileprivate var theme: KeyValueContainer<Theme> { makeContainer(defaultValue: .light) }
    fileprivate var lastUser: KeyValueContainer<String?> { makeContainer() }
}

@Suite struct KeyValueContainerTests {
    @Test func propertyIsItsOwnKey() throws {
        let storage = ListStorage()
        #expect(storage.theme.value == .light)
        storage.theme.value = .dark
        #expect(storage.theme.value == .dark)
        #expect(storage.keys == ["theme"])
        try storage.theme.removeValue()
        #expect(storage.theme.value == .light)
    }

    @Test func settingAnOptionalToNilRemovesIt() throws {
        let storage = ListStorage()
        #expect(storage.lastUser.value == nil)
        storage.lastUser.value = "Ann"
        #expect(storage.value(forKey: "lastUser") == "Ann")
        storage.lastUser.value = nil
        #expect(storage.keys.isEmpty)
        try storage.lastUser.persist("Bob")
        #expect(try storage.lastUser.retrieveValueOrThrow() == "Bob")
        try storage.lastUser.persist(nil)
        #expect(storage.keys.isEmpty)
    }

    @Test(arguments: [[], DefaultValuePersistBehaviour.persistWhenNil])
    func settingAValueKeepsACopyOfACorruptValue(
        _ behaviour: DefaultValuePersistBehaviour
    ) {
        let storage = ListStorage()
        let shelf = Shelf(storage: storage)
        storage.storeValue(.string("one"), key: "tags")
        var tags: KeyValueContainer<[String]> {
            shelf.makeContainer(
                key: "tags",
                defaultValue: [],
                defaultValuePersistBehaviour: behaviour
            )
        }
        tags.value.append("two")
        #expect(tags.value == ["two"])
        #expect(storage.corruptValues(for: "tags") == [.string("one")])
        tags.value.append("three")
        #expect(tags.value == ["two", "three"])
        #expect(storage.corruptValues(for: "tags").count == 1)
    }

    @Test func optionalMayHaveADefault() throws {
        let container: KeyValueContainer<Int?> = ListStorage().makeContainer(
            key: "a",
            defaultValue: 5
        )
        #expect(container.value == 5)
        container.value = 6
        container.value = nil
        #expect(container.value == 5)
    }

    @Test func defaultIsEvaluatedOnceWhenItIsNeeded() async throws {
        let count = Locked(0)
        let storage = ListStorage()
        let container: KeyValueContainer<Int> = storage.makeContainer(
            key: "a",
            defaultValue: count.withLock { count in
                count += 1
                return count
            }
        )
        container.value = 7
        #expect(container.value == 7)
        #expect(count.withLock { $0 } == 0)
        try container.removeValue()
        await withTaskGroup(of: Int.self) { group in
            for index in 0..<8 {
                group.addTask {
                    index % 2 == 0 ? container.value : container.retrieveValue()
                }
            }
            for await value in group { #expect(value == 1) }
        }
        #expect(count.withLock { $0 } == 1)
    }

    @Test func storedDefaultIsReadAgain() throws {
        let storage = ListStorage()
        func make() -> KeyValueContainer<UUID> {
            storage.makeContainer(
                key: "id",
                defaultValue: UUID(),
                defaultValuePersistBehaviour: .persistWhenNil
            )
        }
        let first = make().value
        #expect(make().value == first)
        #expect(try make().retrieveValueOrThrow() == first)
    }

    @Test func listenersNeedNoContainer() throws {
        let storage = ListStorage()
        let received = Locked<[Theme]>([])
        let token = storage.theme.observeChanges { result in
            if case .success(let update) = result {
                received.withLock { $0.append(update.newValue) }
            }
        }
        storage.theme.value = .dark
        storage.setValue(Theme.light, forKey: "theme")
        storage.storeValue(.string("dark"), key: "theme")
        try storage.theme.removeValue()
        #expect(received.withLock { $0 } == [.dark, .light, .dark, .light])
        token.dispose()
        storage.theme.value = .dark
        #expect(received.withLock { $0.count } == 4)
    }

    @Test func containersAndPersistersOfOneKeyAgree() throws {
        let storage = ListStorage()
        let persister = storage.theme
        let observable = storage.theme.observable
        storage.theme.value = .dark
        #expect(persister.retrieveValue() == .dark)
        #expect(observable.value == .dark)
        try persister.persist(.light)
        #expect(storage.theme.value == .light)
    }

    @Test func valuesAndUpdatesAreSequences() async throws {
        let storage = ListStorage()
        var values = storage.theme.values.makeAsyncIterator()
        #expect(await values.next() == .light)
        var updates = storage.theme.changes.makeAsyncIterator()
        storage.theme.value = .dark
        #expect(await values.next() == .dark)
        let update = try await updates.next()?.get()
        #expect(update?.newValue == .dark)
    }

    @Test func valueThatCannotBeStoredIsReadByEveryContainer() throws {
        let shelf = Shelf(storage: RefusingStorage())
        func make() -> KeyValueContainer<Int> { shelf.makeContainer(key: "a", defaultValue: 0) }
        shelf.storage.unwritable.withLock { _ = $0.insert("a") }
        make().value = 2
        #expect(make().value == 2)
        #expect(shelf.reported == [.write])
        #expect(throws: PersistenceError.self) { try make().persist(3) }
        #expect(make().value == 2)
    }

    @Test func containerReadsAValueThatItsStorageDoesNotAnnounce() throws {
        let storage = PlainStorage(announcesEveryChange: false)
        let container: KeyValueContainer<Int> = Shelf(storage: storage).makeContainer(
            key: "a",
            defaultValue: 0
        )
        for value in 2...4 {
            storage.changeSilently("a", to: Data("\(value)".utf8))
            #expect(container.value == value)
            #expect(try container.retrieveValueOrThrow() == value)
        }
        #expect(try container.update { $0 * 2 } == 8)
    }

    @Test func containerKeepsNoValueThatHasNoForm() throws {
        let shelf = Shelf(storage: ListStorage())
        let container: KeyValueContainer<Date?> = shelf.makeContainer(key: "a")
        container.value = Date(timeIntervalSinceReferenceDate: .nan)
        #expect(shelf.reported == [.transform])
        #expect(container.value == nil)
    }

    @Test func unsavedValueKeepsItsKeyOpenUntilItIsStored() throws {
        let shelf = Shelf(storage: RefusingStorage())
        func make() -> KeyValueContainer<Int> { shelf.makeContainer(key: "a", defaultValue: 0) }
        shelf.storage.unwritable.withLock { _ = $0.insert("a") }
        make().value = 2
        #expect(shelf.storage.channels.openKeys() == ["a"])
        shelf.storage.unwritable.withLock { $0 = [] }
        #expect(make().value == 2)
        #expect(shelf.storage.channels.openKeys().isEmpty)
        #expect(shelf.storage.values.withLock { $0 } == ["a": .integer(2)])
    }

    @Test func containerAndItsPersisterReportAnErrorOnce() throws {
        let shelf = Shelf(storage: ListStorage())
        func make() -> KeyValueContainer<Int> { shelf.makeContainer(key: "a", defaultValue: 0) }
        for round in 1...2 {
            shelf.storage.storeValue(.string("one"), key: "a")
            #expect(make().value == 0)
            #expect(make().retrieveValue() == 0)
            #expect(shelf.value(forKey: "a", as: Int.self) == nil)
            #expect(shelf.reported.count == round)
            make().value = 1
        }
    }

    @Test func storageIsNotKeptAlive() throws {
        weak var gone: ListStorage?
        do {
            let storage = ListStorage()
            gone = storage
            storage.theme.value = .dark
            let token = storage.theme.observeChanges { _ in }
            token.dispose()
        }
        #expect(gone == nil)
    }
}
