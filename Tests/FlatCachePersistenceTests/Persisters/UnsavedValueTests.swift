import FlatCachePersistence
import Foundation
import Testing

@testable import FlatCache
@testable import FlatCachePersistenceTestSupport

struct UnsavedValueTests {
    /// A model that equals all others with the same identifier, as many models do.
    private struct Book: Equatable, Sendable {
        var identifier = 1
        var title: String

        static func == (left: Book, right: Book) -> Bool { left.identifier == right.identifier }
    }

    @Test func newValueThatEqualsTheOldOneIsRead() throws {
        let storage = InMemoryStorage<String, Book>()
        let book = Persister(key: "a", storedBy: storage, defaultValue: Book(title: "none"))
        try book.persist(Book(title: "old"))
        #expect(book.retrieveValue().title == "old")
        try book.persist(Book(title: "new"))
        #expect(book.retrieveValue().title == "new")
    }

    @Test func storedValueReplacesOneThatCannotBeTransformed() throws {
        let storage = InMemoryStorage<String, Data>(["a": Data("1".utf8)])
        let value = Persisted(
            wrappedValue: 0.0,
            key: "a",
            storedBy: storage,
            transformer: JSONTransformer(),
            onError: { _ in }
        )
        #expect(value.wrappedValue == 1)
        value.wrappedValue = .nan
        value.wrappedValue = 1
        #expect(value.wrappedValue == 1)
    }

    @Test func unsavedValueIsNotReplacedByAFileThatWasNeverRead() {
        let storage = FailingStorage(["a": .integer(1)])
        let value = Persisted(wrappedValue: 0, key: "a", storedBy: storage, onError: { _ in })
        storage.fail(.write)
        value.wrappedValue = 2
        storage.changeFromOutside("a", to: .integer(1))
        #expect(value.wrappedValue == 2)
    }

    @Test func eachValueThatCannotBeStoredIsReported() {
        let storage = FailingStorage()
        let errors = Recorder<PersistenceError>()
        let value = Persisted(wrappedValue: 0, key: "a", storedBy: storage, onError: errors.append)
        storage.fail(.write)
        for number in 1...3 { value.wrappedValue = number }
        #expect(errors.count == 3)
    }

    @Test func defaultDoesNotReplaceAValueThatOtherCodeJustStored() {
        let storage = FailingStorage()
        @Sendable func makeDefault() -> Int {
            storage.changeSilently("a", to: .integer(7))
            return 0
        }
        let value = Persister(
            key: "a",
            storedBy: storage,
            defaultValue: makeDefault(),
            defaultValuePersistBehaviour: .persistWhenNil
        )
        _ = value.retrieveValue()
        #expect(storage.value("a") == .integer(7))
        #expect(value.retrieveValue() == 7)
    }

    @Test func defaultDoesNotReplaceAValueThatWasJustRepaired() {
        let storage = FailingStorage(["a": .string("damaged")])
        @Sendable func makeDefault() -> Int {
            storage.changeSilently("a", to: .integer(7))
            return 0
        }
        let value = Persister(
            key: "a",
            storedBy: storage,
            defaultValue: makeDefault(),
            defaultValuePersistBehaviour: .persistOnError,
            onError: { _ in }
        )
        _ = value.retrieveValue()
        #expect(storage.value("a") == .integer(7))
        #expect(value.retrieveValue() == 7)
    }
}
