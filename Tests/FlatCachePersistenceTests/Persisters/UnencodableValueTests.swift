import Foundation
import Observation
import Testing

@testable import FlatCache
@testable import FlatCachePersistence
@testable import FlatCachePersistenceTestSupport

/// A value without a stored form isn't set, so that all faces of a key agree.
struct UnencodableValueTests {
    private let storage = InMemoryStorage<String, Data>(["a": Data("1".utf8)])
    private let errors = Recorder<PersistenceError>()

    private func property() -> Persisted<Double> {
        Persisted(
            wrappedValue: 0,
            key: "a",
            storedBy: storage,
            transformer: JSONTransformer(),
            onError: errors.append
        )
    }

    private func received<Value>(by persister: Persister<Value>) -> (Recorder<Bool>, Disposable) {
        let received = Recorder<Bool>()
        let listening = persister.addUpdateListener { result in
            if case .success = result { received.append(true) } else { received.append(false) }
        }
        return (received, listening)
    }

    @Test(arguments: [Double.infinity, -.infinity, .nan])
    func valueIsReadNowhereAndReported(value: Double) throws {
        let (mine, other) = (property(), property())
        let (received, listening) = received(by: other.projectedValue)
        #expect(mine.wrappedValue == 1)
        for count in 1...2 {
            mine.wrappedValue = value
            #expect([mine, other, property()].map(\.wrappedValue) == [1, 1, 1])
            #expect(try mine.projectedValue.retrieveValueOrThrow() == 1)
            #expect(errors.all.map(\.operation) == Array(repeating: .transform, count: count))
            #expect(received.all == Array(repeating: false, count: count))
        }
        let error = try #require(errors.all.first)
        #expect(error.description.contains("isn't set"))
        #expect(throws: PersistenceError.self) { try mine.projectedValue.persist(value) }
        #expect(throws: PersistenceError.self) {
            try mine.projectedValue.update { $0 = value }
        }
        #expect([mine, other].map(\.wrappedValue) == [1, 1])
        mine.wrappedValue += 1
        #expect([mine, other].map(\.wrappedValue) == [2, 2])
        #expect(try storage.retrieveValue(for: "a") == Data("2".utf8))
        withExtendedLifetime(listening) {}
    }

    @Test func defaultIsReadIfNothingIsStored() {
        storage.removeValue(for: "a")
        let (mine, other) = (property(), property())
        mine.wrappedValue = .infinity
        #expect([mine, other].map(\.wrappedValue) == [0, 0])
    }

    @Test @MainActor func observableReadsTheStoredValue() {
        let observable = Observed(property().projectedValue, delivery: .inline)
        let changes = Recorder<Bool>()
        withObservationTracking {
            _ = observable.value
        } onChange: {
            changes.append(true)
        }
        observable.value = .infinity
        #expect(observable.value == 1)
        #expect(changes.count == 1)
    }

    @Test func unsavedValueIsKept() {
        let storage = FailingStorage(["a": .integer(1)])
        let form = RefusingTransformer()
        let properties = (0..<2).map { _ in
            Persisted(
                wrappedValue: 0,
                key: "a",
                storedBy: storage,
                transformer: form,
                onError: { _ in }
            )
        }
        storage.fail(.write)
        properties[0].wrappedValue = 2
        properties[0].wrappedValue = -1
        #expect(properties.map(\.wrappedValue) == [2, 2])
        storage.fail([])
        #expect(properties.map(\.wrappedValue) == [2, 2])
        #expect(storage.value("a") == .integer(2))
    }

    /// A transformer may read another key, whose error isn't one of the value.
    @Test func errorOfAnotherKeyKeepsTheStoredValue() throws {
        let property = Persisted(
            wrappedValue: 0,
            key: "a",
            storedBy: storage,
            transformer: ReadingTransformer(),
            onError: errors.append
        )
        property.wrappedValue = 2
        #expect(property.wrappedValue == 1)
        #expect(errors.all.map(\.operation) == [.transform])
        #expect(errors.all.first?.key == "a")
        #expect(try storage.retrieveValue(for: "a") == Data("1".utf8))
    }

    @Test func containersAgree() {
        struct Level: Codable, Equatable {
            var number: Int

            func encode(to encoder: any Encoder) throws {
                if number < 0 {
                    throw EncodingError.invalidValue(
                        number,
                        .init(codingPath: [], debugDescription: "negative")
                    )
                }
                try number.encode(to: encoder)
            }
        }
        let shelf = Shelf(storage: InMemoryStorage<String, Data>())
        let container = shelf.makeContainer(key: "a", defaultValue: Level(number: 1))
        container.value = Level(number: -1)
        #expect([container.value, container.retrieveValue()].map(\.number) == [1, 1])
        shelf.setValue(Level(number: -1), forKey: "a")
        #expect(shelf.value(forKey: "a", as: Level.self) == nil)
        #expect(shelf.reported == [.transform, .transform])
    }

    #if os(Linux)
    @Test func valueThatTheStorageCannotEncodeIsNotSet() throws {
        // A reader would take the mark for one of the byte order.
        let text = "\u{FEFF}x"
        let suite = try TemporarySuite()
        let storage = UserDefaultsStorage(suite.defaults)
        let properties = (0..<2).map { _ in
            Persisted(wrappedValue: "old", key: "a", storedBy: storage, onError: errors.append)
        }
        let (received, listening) = received(by: properties[1].projectedValue)
        properties[0].wrappedValue = text
        #expect(properties.map(\.wrappedValue) == ["old", "old"])
        #expect(errors.all.map(\.operation) == [.transform])
        #expect(received.all == [false])
        // It isn't tried again.
        properties[0].wrappedValue = "new"
        #expect(properties.map(\.wrappedValue) == ["new", "new"])
        #expect(errors.count == 1)
        withExtendedLifetime(listening) {}
    }
    #endif

    @Test func corruptValueIsNotCopied() throws {
        let storage = InMemoryStorage<String, Data>(["a": Data("x".utf8)])
        let property = Persisted(
            wrappedValue: 0.5,
            key: "a",
            storedBy: storage,
            transformer: JSONTransformer(),
            onError: errors.append
        )
        property.wrappedValue = .infinity
        #expect(property.wrappedValue == 0.5)
        #expect(storage.corruptValues(for: "a") == [])
        #expect(try storage.retrieveValue(for: "a") == Data("x".utf8))
    }
}

/// A transformer that refuses negative numbers.
private struct RefusingTransformer: Transformer {
    struct Refusal: Error {}

    func transformValue(_ value: Int) throws -> PropertyListValue {
        if value < 0 { throw Refusal() }
        return .integer(Int64(value))
    }

    func untransformValue(_ value: PropertyListValue) throws -> Int {
        try Int(propertyListValue: value)
    }
}

/// A transformer that can't read the value of another key.
private struct ReadingTransformer: Transformer {
    func transformValue(_ value: Int) throws -> Data {
        let storage = InMemoryStorage<String, Data>()
        throw PersistenceError(
            .read,
            key: "b",
            storage: storage,
            underlying: CocoaError(.fileReadUnknown)
        )
    }

    func untransformValue(_ value: Data) throws -> Int {
        try JSONTransformer<Int>().untransformValue(value)
    }
}
