import FlatCachePersistence
import Foundation
import Testing

@testable import FlatCache
@testable import FlatCachePersistenceTestSupport

/// Reads of storages that don't announce every change.
struct UnannouncedChangesTests {
    private func token(
        _ storage: PlainStorage,
        _ behaviour: DefaultValuePersistBehaviour = []
    ) -> Persister<String> {
        Persister(
            key: "token",
            storedBy: storage,
            transformer: JSONTransformer<String>(),
            defaultValue: "none",
            defaultValuePersistBehaviour: behaviour,
            onError: { _ in }
        )
    }

    @Test func removedValueIsNotReadAnyMore() throws {
        let storage = PlainStorage(announcesEveryChange: false)
        let token = token(storage)
        try token.persist("secret")
        #expect(token.retrieveValue() == "secret")
        storage.removeAllSilently()
        #expect(token.retrieveValue() == "none")
        #expect(try token.retrieveValueOrThrow() == "none")
        storage.changeSilently("token", to: Data(#""other""#.utf8))
        try token.update { $0 += "!" }
        #expect(token.retrieveValue() == "other!")
    }

    @Test func readThatFindsAChangeNotifiesTheListenersOnce() throws {
        let storage = PlainStorage(announcesEveryChange: false)
        let token = token(storage)
        let received = Recorder<String>()
        let listening = token.addUpdateListener {
            received.append((try? $0.get().newValue) ?? "error")
        }
        try token.persist("secret")
        storage.changeSilently("token", to: Data(#""other""#.utf8))
        for _ in 0..<3 { #expect(token.retrieveValue() == "other") }
        storage.callListeners(to: "token")
        #expect(received.all == ["secret", "other"])
        storage.removeAllSilently()
        #expect(token.retrieveValue() == "none")
        #expect(received.all == ["secret", "other", "none"])
        withExtendedLifetime(listening) {}
    }

    @Test func storageWithChannelsIsAskedUnlessItAnnouncesEveryChange() throws {
        let storage = SilentStorage()
        let number = Persister(key: "a", storedBy: storage, defaultValue: 0)
        let object = PersistentObject<[Int]>(
            repository: StorageRepository(key: "b", storedBy: storage)
        )
        let received = Recorder<Int>()
        let listening = number.addUpdateListener { received.append((try? $0.get().newValue) ?? -1) }
        try number.persist(1)
        #expect(number.retrieveValue() == 1)
        #expect(object.object == nil)
        storage.values.withLock { $0["a"] = .integer(2) }
        storage.values.withLock { $0["b"] = .data(Data("[2]".utf8)) }
        #expect(number.retrieveValue() == 2)
        #expect(object.object == [2])
        storage.values.withLock { $0 = [:] }
        #expect(number.retrieveValue() == 0)
        #expect(object.object == nil)
        #expect(received.all == [1, 2, 0])
        withExtendedLifetime(listening) {}
    }

    @Test func valuesThatCannotBeComparedAreReadAnewAndNotAnnounced() throws {
        let storage = OpaqueStorage()
        let value = Persister(
            key: 0,
            storedBy: storage,
            transformer: IdentityTransformer(),
            defaultValue: OpaqueStorage.Opaque(number: 0)
        )
        let received = Recorder<Int>()
        let listening = value.addUpdateListener {
            received.append((try? $0.get().newValue.number) ?? -1)
        }
        try value.persist(.init(number: 1))
        #expect(value.retrieveValue().number == 1)
        storage.value.withLock { $0 = .init(number: 2) }
        #expect(value.retrieveValue().number == 2)
        storage.value.withLock { $0 = nil }
        #expect(value.retrieveValue().number == 0)
        #expect(received.all == [1, 0])
        withExtendedLifetime(listening) {}
    }

    /// A storage with channels, whose values change without them.
    private final class SilentStorage: ChannelledStorage {
        let channels = StorageChannels<String, PropertyListValue>()
        let values = Locked<[String: PropertyListValue]>([:])

        func storeValue(_ value: PropertyListValue, key: String) {
            channels.write(value, forKey: key) { values.withLock { $0[key] = value } }
        }

        func removeValue(for key: String) {
            channels.write(nil, forKey: key) { values.withLock { $0[key] = nil } }
        }

        func retrieveValue(for key: String) throws -> PropertyListValue? {
            try channels.read(forKey: key) { values.withLock { $0[key] } }
        }
    }

    /// A storage of one value, which can't be compared.
    private final class OpaqueStorage: ChannelledStorage {
        struct Opaque: Sendable {
            var number: Int
        }

        let channels = StorageChannels<Int, Opaque>()
        let value = Locked<Opaque?>(nil)

        func storeValue(_ value: Opaque, key: Int) {
            channels.write(value, forKey: key) { self.value.withLock { $0 = value } }
        }

        func removeValue(for key: Int) {
            channels.write(nil, forKey: key) { value.withLock { $0 = nil } }
        }

        func retrieveValue(for key: Int) throws -> Opaque? {
            try channels.read(forKey: key) { value.withLock { $0 } }
        }
    }
}
