import FlatCachePersistence
import Foundation
import Testing

@testable import FlatCache
@testable import FlatCachePersistenceTestSupport

extension PersistedTests {
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

    @Test func valueThatCannotBeTransformedIsNotSet() {
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
            if case .failure = result { received.append(value.wrappedValue.number == 1) }
        }
        value.wrappedValue = Unwritable(number: .nan)
        #expect(value.wrappedValue == Unwritable(number: 1))
        #expect(errors.all.map(\.operation) == [.transform])
        #expect(received.all == [true])
        #expect(storage.keys.isEmpty)
        value.wrappedValue = Unwritable(number: 2)
        #expect(value.wrappedValue == Unwritable(number: 2))
        withExtendedLifetime(listening) {}
    }
}
