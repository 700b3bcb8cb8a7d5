import FlatCachePersistence
import Foundation
import Testing

@testable import FlatCache
@testable import FlatCachePersistenceTestSupport

struct PersistedTests {
    typealias Memory = InMemoryStorage<String, PropertyListValue>

    static let folder = try? TemporaryFolder()
    private static let shared = Memory()

    /// All forms of the wrapper in a class, with values in place of literals where that makes a
    /// difference.
    private final class Settings {
        @Persisted(key: "title", storedBy: PersistedTests.shared) var title = "none"
        @Persisted(key: "count", storedBy: PersistedTests.shared, defaultValue: 7) var count: Int
        @Persisted(key: "nickname", storedBy: PersistedTests.shared) var nickname: String?
        @Persisted(key: "motto", storedBy: PersistedTests.shared) var motto: String? = "onwards"
        @Persisted(key: "absent", storedBy: PersistedTests.shared) var absent: String? = nil
        @Persisted(key: "order", storedBy: PersistedTests.shared, transformer: JSONTransformer())
        var order = Order()
        @Persisted(key: "orders", storedBy: PersistedTests.shared, transformer: JSONTransformer())
        var orders: [Order]?
        @Persisted(key: "raw", storedBy: InMemoryStorage<String, Order>()) var raw = Order()
        @Persisted(key: "rawOptional", storedBy: InMemoryStorage<String, Order>())
        var rawOptional: Order?
    }

    @Test func eachFormOfTheWrapperStoresAndReadsTheSetValue() {
        let settings = Settings()
        #expect(settings.title == "none")
        settings.title = "a"
        #expect(settings.title == "a")
        #expect(settings.count == 7)
        settings.count += 1
        #expect(settings.count == 8)
        #expect(settings.nickname == nil)
        settings.nickname = "Ada"
        #expect(settings.nickname == "Ada")
        settings.nickname = nil
        #expect(settings.nickname == nil)
        #expect(settings.motto == "onwards")
        settings.motto = "back"
        #expect(settings.motto == "back")
        settings.motto = nil
        #expect(settings.motto == "onwards")
        #expect(settings.absent == nil)
        settings.order.quantity = 3
        #expect(settings.order == Order(quantity: 3))
        #expect(settings.orders == nil)
        settings.orders = [Order(quantity: 1)]
        #expect(settings.orders == [Order(quantity: 1)])
        settings.raw.title = "b"
        #expect(settings.raw.title == "b")
        settings.rawOptional = Order()
        #expect(settings.rawOptional == Order())
    }

    private struct Draft {
        @Persisted var text: String?
        @Persisted var order: Order

        init(_ storage: Memory) {
            _text = Persisted(key: "text", storedBy: storage)
            _order = Persisted(
                key: "order",
                storedBy: storage,
                transformer: JSONTransformer(),
                defaultValue: Order(title: "new")
            )
        }
    }

    private struct Preferences: Sendable {
        @Persisted(key: "volume", storedBy: PersistedTests.shared) var volume = 3
    }

    private struct Optionals {
        private static let memory = Memory()

        @Persisted(key: "a", storedBy: memory, defaultValue: nil) var number: Int?
        @Persisted(key: "b", storedBy: memory, defaultValue: "none") var text: String?
        @Persisted(key: "c", storedBy: memory, transformer: JSONTransformer(), defaultValue: nil)
        var order: Order?
        @Persisted(
            key: "d",
            storedBy: memory,
            transformer: JSONTransformer<Order>(),
            defaultValue: nil
        )
        var other: Order?
        @Persisted(
            key: "e",
            storedBy: InMemoryStorage<String, Order>(),
            defaultValue: Order(title: "default")
        )
        var raw: Order?

        static var keys: [String] { memory.keys }
    }

    @Test func optionalWithADefaultIsRemovedByNilToo() {
        let values = Optionals()
        values.number = 1
        values.text = "a"
        values.order = Order(quantity: 1)
        values.other = Order(quantity: 2)
        values.raw = Order(quantity: 3)
        #expect(Optionals.keys.sorted() == ["a", "b", "c", "d"])
        #expect(values.number == 1)
        #expect(values.text == "a")
        #expect(values.order == Order(quantity: 1))
        #expect(values.raw == Order(quantity: 3))
        values.number = nil
        values.text = nil
        values.order = nil
        values.other = nil
        values.raw = nil
        #expect(Optionals.keys == [])
        #expect(values.number == nil)
        #expect(values.text == "none")
        #expect(values.order == nil)
        #expect(values.raw == Order(title: "default"))
    }

    @Test func fileHasOptionalsWithADefault() throws {
        let folder = try TemporaryFolder()
        let data = Persisted(file: folder.file("a"), defaultValue: nil)
        data.wrappedValue = Data("a".utf8)
        let order = Persisted<Order?>(
            file: folder.file("b"),
            transformer: JSONTransformer(),
            defaultValue: nil
        )
        order.wrappedValue = Order()
        #expect(try folder.contents == ["a", "b"])
        data.wrappedValue = nil
        order.wrappedValue = nil
        #expect(try folder.contents == [])
    }

    @Test func wrapperIsMadeInAnInitializerInAStructureThatDoesNotChange() {
        let storage = Memory()
        let draft = Draft(storage)
        draft.text = "a"
        draft.order.quantity = 2
        let other = Draft(storage)
        #expect(other.text == "a")
        #expect(other.order == Order(title: "new", quantity: 2))
    }

    private actor Counter {
        private let stored: Persisted<Int>
        @Persisted var count: Int

        init(_ storage: Memory) {
            stored = Persisted(key: "count", storedBy: storage, defaultValue: 0)
            _count = stored
        }

        nonisolated var current: Int { stored.wrappedValue }

        func increment() { count += 1 }
    }

    @Test func actorHasAWrapperWhichItsNonisolatedMembersReadToo() async {
        let counter = Counter(Memory())
        await counter.increment()
        #expect(counter.current == 1)
        #expect(await counter.count == 1)
    }

    @Test func fileStoresDataAndValuesWithATransformerToData() throws {
        let folder = try TemporaryFolder()
        let file = folder.file("order.json")
        let bytes = Persisted(wrappedValue: Data("{}".utf8), file: file)
        let order = Persisted<Order?>(file: file, transformer: JSONTransformer<Order>())
        #expect(bytes.wrappedValue == Data("{}".utf8))
        #expect(order.wrappedValue == nil)
        order.wrappedValue = Order(title: "a", quantity: 1)
        #expect(bytes.wrappedValue == Data(#"{"quantity":1,"title":"a"}"#.utf8))
        #expect(try Data(contentsOf: file) == bytes.wrappedValue)
        order.wrappedValue = nil
        #expect(try folder.contents == [])
    }

    @Test func defaultValueIsNotEvaluatedWhileAValueIsStored() {
        let evaluations = Recorder<Int>()
        @Sendable func make() -> Int {
            evaluations.append(1)
            return 5
        }
        let value = Persisted(key: "a", storedBy: Memory(["a": .integer(3)]), defaultValue: make())
        #expect(value.wrappedValue == 3)
        value.wrappedValue = 4
        #expect(value.wrappedValue == 4)
        #expect(evaluations.count == 0)
    }
}
