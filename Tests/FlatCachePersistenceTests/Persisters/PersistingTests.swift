import FlatCachePersistence
import Foundation
import Testing

@testable import FlatCachePersistenceTestSupport

/// The forms of calls that create persisters and properties.
///
/// Some only need to compile.
struct PersistingTests {
    private typealias Memory = InMemoryStorage<String, PropertyListValue>
    private enum Format: Int, Sendable { case paper, audio }

    private static let memory = Memory()

    private struct Declared: Sendable {
        @Persisted(key: "a", storedBy: memory, transformer: RawRepresentableTransformer())
        var format = Format.paper
        @Persisted(key: "b", storedBy: memory, transformer: RawRepresentableTransformer())
        var preferred: Format?
        @Persisted(key: "c", storedBy: memory, transformer: JSONTransformer())
        var order: Order? = Order(quantity: 2)
        @Persisted(key: "d", storedBy: memory) var ratio: Double = 1
        @Persisted(key: "e", storedBy: memory) var titles: [String] = []
    }

    @Test func declarationInfersTheTransformersType() throws {
        let declared = Declared()
        #expect(declared.format == .paper)
        declared.format = .audio
        declared.preferred = .audio
        #expect(try Self.memory.retrieveValue(for: "a") == .integer(1))
        #expect(declared.preferred == .audio)
        declared.preferred = nil
        #expect(declared.preferred == nil)
        #expect(declared.order == Order(quantity: 2))
        declared.order = Order()
        #expect(declared.order == Order())
        declared.order = nil
        #expect(declared.order == Order(quantity: 2))
        #expect(declared.ratio == 1)
        #expect(declared.titles == [])
    }

    /// A structure that is generic over its storage.
    private struct Preferences<Base: Storage>: Sendable
    where Base.Key == String, Base.Value == PropertyListValue {
        @Persisted var fontSize: Int
        @Persisted var font: String?

        init(storedBy storage: Base) {
            _fontSize = Persisted(key: "fontSize", storedBy: storage, defaultValue: 12)
            _font = Persisted(key: "font", storedBy: storage)
        }
    }

    @Test func storageMayBeGenericOrAnExistential() {
        let preferences = Preferences(storedBy: Memory(["fontSize": .integer(14)]))
        #expect(preferences.fontSize == 14)
        #expect(preferences.font == nil)
        let storage: any Storage<String, PropertyListValue> = Memory(["size": .integer(3)])
        #expect(Persister(key: "size", storedBy: storage, defaultValue: 1).retrieveValue() == 3)
        let bytes: any Storage<String, Data> = InMemoryStorage(["size": Data("4".utf8)])
        let size = Persister(
            key: "size",
            storedBy: bytes,
            transformer: JSONTransformer(),
            defaultValue: 1
        )
        #expect(size.retrieveValue() == 4)
    }

    #if os(Linux)
    @Test func allFormsForUserDefaultsAgree() throws {
        let suite = try TemporarySuite()
        let property = Persisted(wrappedValue: 1, key: "a", userDefaults: suite.defaults)
        let converted = Persisted(wrappedValue: 2, key: "a", storedBy: suite.defaults)
        let both = Persisted(
            wrappedValue: 5,
            key: "a",
            userDefaults: suite.defaults,
            storedBy: UserDefaults.standard
        )
        let optional = Persister<Int?>(key: "a", userDefaults: suite.defaults)
        let persister = Persister(key: "a", userDefaults: suite.defaults, defaultValue: 3)
        #expect(property.wrappedValue == 1)
        #expect(converted.wrappedValue == 2)
        #expect(both.wrappedValue == 5)
        #expect(optional.retrieveValue() == nil)
        #expect(persister.retrieveValue() == 3)
        property.wrappedValue = 4
        #expect(converted.wrappedValue == 4)
        #expect(both.wrappedValue == 4)
        #expect(optional.retrieveValue() == 4)
        #expect(persister.retrieveValue() == 4)
        try optional.persist(nil)
        #expect(suite.defaults.object(forKey: "a") == nil)
        #expect(property.wrappedValue == 1)
    }

    @Test func userDefaultsThatAreStorageTakeATransformer() throws {
        let suite = try TemporarySuite()
        let order = Persister<Order?>(
            key: "a",
            storedBy: suite.defaults,
            transformer: JSONTransformer()
        )
        try order.persist(Order(quantity: 1))
        #expect(suite.defaults.data(forKey: "a") != nil)
        let other = Persisted(
            wrappedValue: Order(),
            key: "a",
            userDefaults: suite.defaults,
            transformer: JSONTransformer()
        )
        #expect(other.wrappedValue == Order(quantity: 1))
    }
    #endif

    @Test func allFormsForAFileAgree() throws {
        let folder = try TemporaryFolder()
        let file = folder.file("a")
        let bytes = Persisted(wrappedValue: Data(), file: file)
        let optional = Persister<Data?>(file: file)
        let stored = Persister<Data?>(key: file, storedBy: FileStorage())
        let number = Persister(file: file, transformer: JSONTransformer(), defaultValue: 0)
        #expect(bytes.wrappedValue == Data())
        #expect(optional.retrieveValue() == nil)
        #expect(number.retrieveValue() == 0)
        try number.persist(5)
        #expect(bytes.wrappedValue == Data("5".utf8))
        #expect(optional.retrieveValue() == Data("5".utf8))
        #expect(stored.retrieveValue() == Data("5".utf8))
        try stored.persist(nil)
        #expect(try folder.contents == [])
        #expect(number.retrieveValue() == 0)
    }
}
