import FlatCachePersistence
import Foundation
import Testing

@testable import FlatCache

struct PersistedTests {
    private typealias Memory = InMemoryStorage<String, PropertyListValue>

    private static let folder = try? TemporaryFolder()
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

    @Test func structureOfWrappersIsSharedByThreads() {
        let preferences = Preferences()
        #expect(onThreads(2) { _ in preferences.volume = 4 })
        #expect(preferences.volume == 4)
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

    @Test func defaultValueIsEvaluatedWhenItIsNeededOnceHoweverManyThreadsNeedIt() {
        let evaluations = Recorder<Int>()
        @Sendable func make() -> Int {
            evaluations.append(1)
            return 5
        }
        let value = Persisted(key: "a", storedBy: Memory(), defaultValue: make())
        #expect(evaluations.count == 0)
        let read = Recorder<Int>()
        #expect(onThreads(8) { _ in read.append(value.wrappedValue) })
        #expect(read.all == Array(repeating: 5, count: 8))
        #expect(evaluations.count == 1)
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

    @Test func valueThatCannotBeStoredIsReadByAllPersistersAndReported() {
        let storage = FailingStorage(["a": .integer(1)])
        let errors = Recorder<PersistenceError>()
        let mine = Persisted(
            wrappedValue: 0,
            key: "a",
            storedBy: storage,
            onError: errors.append
        )
        let others = Persister(key: "a", storedBy: storage, defaultValue: 0)
        let received = Recorder<String>()
        let listening = others.addUpdateListener { result in
            guard case .failure(let error) = result else { return }
            received.append("\(error) \(others.retrieveValue())")
        }
        #expect(mine.wrappedValue == 1)
        storage.fail(.write)
        mine.wrappedValue = 2
        #expect(mine.wrappedValue == 2)
        #expect(others.retrieveValue() == 2)
        #expect(storage.value("a") == .integer(1))
        #expect(errors.all.map(\.operation) == [.write])
        #expect(errors.all.first?.key == "a")
        #expect(errors.all.first?.underlying as? FailingStorage.Refusal == .init(what: "write"))
        #expect(received.count == 1)
        #expect(received.all.first?.hasSuffix("2") == true)
        storage.fail([])
        mine.wrappedValue = 3
        #expect(storage.value("a") == .integer(3))
        withExtendedLifetime(listening) {}
    }

    @Test func unsavedValueIsNotReplacedByAnOlderFile() {
        let storage = FailingStorage(["a": .integer(1)])
        let value = Persisted(wrappedValue: 0, key: "a", storedBy: storage, onError: { _ in })
        #expect(value.wrappedValue == 1)
        storage.fail(.write)
        value.wrappedValue = 2
        storage.changeFromOutside("a", to: .integer(1))
        #expect(value.wrappedValue == 2)
        storage.changeFromOutside("a", to: .integer(5))
        #expect(value.wrappedValue == 5)
    }

    @Test func settingAPropertyKeepsACopyOfACorruptValue() throws {
        let folder = try TemporaryFolder()
        let file = folder.file("orders.json")
        let orders = Persisted(
            wrappedValue: [Order](),
            file: file,
            transformer: JSONTransformer(),
            onError: { _ in }
        )
        orders.wrappedValue.append(Order(title: "one"))
        #expect(try folder.contents == ["orders.json"])
        let typo = Data(#"[{"title":"one","#.utf8)
        try FileStorage().storeValue(typo, key: file)
        orders.wrappedValue.append(Order(title: "two"))
        #expect(orders.wrappedValue == [Order(title: "two")])
        let copy = try #require(try folder.contents.first { $0.contains(".corrupt-") })
        #expect(try Data(contentsOf: folder.file(copy)) == typo)
        #expect(try folder.contents.count == 2)
    }

    @Test func propertyDoesNotOverwriteAnUnreadableValue() {
        let storage = FailingStorage(["a": .integer(1)])
        let errors = Recorder<PersistenceError>()
        let value = Persisted(wrappedValue: 0, key: "a", storedBy: storage, onError: errors.append)
        storage.fail(.read)
        value.wrappedValue += 1
        #expect(storage.value("a") == .integer(1))
        #expect(value.wrappedValue == 1)
        #expect(errors.all.map(\.operation) == [.read, .read])
    }

    @Test func propertyDoesNotOverwriteACorruptValueWithoutACopy() {
        let storage = FailingStorage(["a": .string("one")])
        storage.fail(.keep)
        let value = Persisted(wrappedValue: 0, key: "a", storedBy: storage, onError: { _ in })
        value.wrappedValue += 1
        #expect(value.wrappedValue == 1)
        #expect(storage.value("a") == .string("one"))
    }

    private struct Unwritable: Codable, Sendable, Equatable {
        var number: Double
    }

    @Test func valueThatCannotBeTransformedIsReadWhereItWasSet() {
        let storage = Memory()
        let errors = Recorder<PersistenceError>()
        let received = Recorder<Bool>()
        let value = Persisted(
            wrappedValue: Unwritable(number: 1),
            key: "a",
            storedBy: storage,
            transformer: JSONTransformer(),
            onError: errors.append
        )
        let listening = value.projectedValue.addUpdateListener { result in
            if case .failure = result { received.append(value.wrappedValue.number.isNaN) }
        }
        value.wrappedValue = Unwritable(number: .nan)
        #expect(value.wrappedValue.number.isNaN)
        #expect(errors.all.map(\.operation) == [.transform])
        #expect(received.all == [true])
        #expect(storage.keys.isEmpty)
        value.wrappedValue = Unwritable(number: 2)
        #expect(value.wrappedValue == Unwritable(number: 2))
        withExtendedLifetime(listening) {}
    }
}
