#if os(Linux)
import FlatCache
import Foundation
import Testing

@testable import FlatCachePersistence
@testable import FlatCachePersistenceTestSupport

extension DefaultsFolderTests {
    /// Plain `UserDefaults` calls in this process, and all that reads the same key.
    struct PlainDefaultsCallsTests {
        let suite: TemporarySuite
        let storage: UserDefaultsStorage

        init() throws {
            suite = try TemporarySuite()
            storage = UserDefaultsStorage(suite.defaults)
        }

        private struct Settings: KeyValueStorage {
            let storage: UserDefaultsStorage
            var level: KeyValueContainer<Int> { makeContainer(defaultValue: 0) }
        }

        @Test func everyFaceReadsAPlainSetAtOnce() throws {
            let property = Persisted(wrappedValue: 0, key: "level", userDefaults: suite.defaults)
            let persister = Persister(key: "level", storedBy: storage, defaultValue: 0)
            let settings = Settings(storage: storage)
            let observable = persister.observable
            try persister.persist(3)
            for number in 4...9 {
                suite.defaults.set(number, forKey: "level")
                #expect(property.wrappedValue == number)
                #expect(persister.retrieveValue() == number)
                #expect(try persister.retrieveValueOrThrow() == number)
                #expect(settings.level.value == number)
                #expect(observable.value == number)
            }
            suite.defaults.removeObject(forKey: "level")
            #expect(property.wrappedValue == 0)
            #expect(settings.level.value == 0)
        }

        @Test func objectReadsAPlainSetAtOnce() throws {
            let object = PersistentObject<[Int]>(
                userDefaultsKey: "numbers",
                userDefaults: suite.defaults
            )
            object.object = [1]
            try object.save()
            for number in 2...4 {
                suite.defaults.set(try JSONEncoder().encode([number]), forKey: "numbers")
                #expect(object.object == [number])
            }
        }

        @Test func updateStartsFromAPlainSet() throws {
            let persister = Persister(key: "level", storedBy: storage, defaultValue: 0)
            try persister.persist(3)
            #expect(persister.retrieveValue() == 3)
            suite.defaults.set(7, forKey: "level")
            try persister.update { $0 += 1 }
            #expect(persister.retrieveValue() == 8)
            #expect(suite.defaults.integer(forKey: "level") == 8)
            suite.defaults.set(20, forKey: "level")
            try Settings(storage: storage).level.update { $0 += 1 }
            #expect(suite.defaults.integer(forKey: "level") == 21)
        }

        @Test func readThatFindsAPlainSetNotifiesTheListenersOnce() async throws {
            let persister = Persister(key: "level", storedBy: storage, defaultValue: 0)
            let other = Persister(key: "level", storedBy: storage, defaultValue: 0)
            try persister.persist(3)
            let received = Recorder<Int>()
            let listening = other.addUpdateListener {
                received.append((try? $0.get().newValue) ?? -1)
            }
            suite.defaults.set(7, forKey: "level")
            for _ in 0..<3 {
                #expect(persister.retrieveValue() == 7)
                #expect(other.retrieveValue() == 7)
            }
            // The thread that watches the file may make the calls.
            #expect(await until { received.all == [7] })
            try persister.update { $0 += 1 }
            #expect(await until { received.all == [7, 8] })
            withExtendedLifetime(listening) {}
        }

        @Test func listenerThatComesAfterAPlainSetIsNotNotifiedOfIt() throws {
            let persister = Persister(key: "level", storedBy: storage, defaultValue: 0)
            try persister.persist(3)
            #expect(persister.retrieveValue() == 3)
            suite.defaults.set(7, forKey: "level")
            let received = Recorder<Int>()
            let listening = persister.addUpdateListener {
                received.append((try? $0.get().newValue) ?? -1)
            }
            #expect(persister.retrieveValue() == 7)
            #expect(received.all == [])
            withExtendedLifetime(listening) {}
        }

        @Test func valuesThatFoundationConvertsAreDistinguished() throws {
            let persister = Persister<PropertyListValue?>(
                key: "value",
                storedBy: storage,
                transformer: IdentityTransformer()
            )
            let date = Date(timeIntervalSinceReferenceDate: 1000)
            let values: [(plain: Any, value: PropertyListValue)] = [
                (true, .bool(true)), (1, .integer(1)), (1.0, .double(1)), ("1", .string("1")),
                (Double.nan, .double(.nan)), (Data("1".utf8), .data(Data("1".utf8))),
                (false, .bool(false)), (0, .integer(0)), (-0.0, .double(0)),
                (Data(), .data(Data())),
                ("", .string("")), ("é", .string("é")), ("e\u{301}", .string("e\u{301}")),
                (UInt64.max, .unsignedInteger(.max)),
                ([1, true], .array([.integer(1), .bool(true)])),
                ([true, 1], .array([.bool(true), .integer(1)])), (date, .date(date)),
                (["a": 1], .dictionary(["a": .integer(1)])),
                (["a": 1.0], .dictionary(["a": .double(1)])),
            ]
            for (_, first) in values {
                for (plain, value) in values where value != first {
                    for (plain, value) in [(first.propertyList, first), (plain, value)] {
                        // Setting a value that Foundation takes for equal changes nothing.
                        suite.defaults.removeObject(forKey: "value")
                        suite.defaults.set(plain, forKey: "value")
                        #expect(persister.retrieveValue() == value)
                    }
                }
            }
        }

        @Test func registeredDefaultIsNotTakenForAStoredValue() throws {
            let key = "\(suite.name).registered"
            suite.defaults.register(defaults: [key: 5])
            let persister = Persister(key: key, storedBy: storage, defaultValue: 0)
            #expect(persister.retrieveValue() == 0)
            suite.defaults.set(5, forKey: key)
            #expect(persister.retrieveValue() == 5)
            suite.defaults.removeObject(forKey: key)
            #expect(persister.retrieveValue() == 0)
            try persister.persist(5)
            #expect(persister.retrieveValue() == 5)
            suite.defaults.set(6, forKey: key)
            #expect(persister.retrieveValue() == 6)
            suite.defaults.removeObject(forKey: key)
            #expect(persister.retrieveValue() == 0)
        }

        @Test func plainSetOfSomethingElseIsAnErrorUntilItIsMended() throws {
            let errors = Recorder<PersistenceError>()
            let persister = Persister(
                key: "level",
                storedBy: storage,
                defaultValue: 0,
                onError: errors.append
            )
            try persister.persist(3)
            #expect(persister.retrieveValue() == 3)
            suite.defaults.set("high", forKey: "level")
            for _ in 0..<3 { #expect(persister.retrieveValue() == 0) }
            #expect(errors.all.map(\.operation) == [.untransform])
            suite.defaults.set(4, forKey: "level")
            #expect(persister.retrieveValue() == 4)
        }

        @Test func readerSeesEachPlainSetOfAnotherThread() async throws {
            let persister = Persister(key: "level", storedBy: storage, defaultValue: 0)
            try persister.persist(0)
            let last = RandomTestSettings.repetitions(500)
            let set = Locked(0)
            let behind = Recorder<String>()
            let hasEnded = await withThreads(3) { thread in
                if thread == 0 {
                    for number in 1...last {
                        suite.defaults.set(number, forKey: "level")
                        set.withLock { $0 = number }
                    }
                } else {
                    while true {
                        let latest = set.withLock { $0 }
                        let found = persister.retrieveValue()
                        if found < latest { behind.append("\(found) after \(latest)") }
                        if latest == last { break }
                    }
                }
            }
            #expect(hasEnded)
            #expect(behind.all == [])
            #expect(persister.retrieveValue() == last)
        }
    }
}
#endif
