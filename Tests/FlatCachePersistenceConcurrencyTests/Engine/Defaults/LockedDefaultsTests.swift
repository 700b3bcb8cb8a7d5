#if os(Linux)
import FlatCacheTesting
import Foundation
import Testing

@testable import FlatCache
@testable import FlatCachePersistence
@testable import FlatCachePersistenceTestSupport

extension DefaultsFolderTests {
    /// Reads and set properties while another process holds the lock of the folder.
    ///
    /// A lock that a test holds has the effect of another process's lock. The clock advances by the
    /// time that a call waits.
    @Suite(.exclusive) struct LockedDefaultsTests {
        private let suite: TemporarySuite
        private let clock = ManualClock()
        private let storage: UserDefaultsStorage
        private let errors = Recorder<PersistenceError>()

        init() throws {
            suite = try TemporarySuite()
            let cache = FoundationDefaultsCache(location: suite.location, defaults: suite.defaults)
            let domain = FileDefaultsDomain(cache, clock: clock)
            storage = UserDefaultsStorage(
                SharedDefaultsDomain(domain, clock: clock, watch: domain.watch)
            )
            try suite.replaceFile(["a": .integer(1), "b": .integer(1)])
        }

        private func lock() throws -> FolderLock {
            try FolderLock(folder: suite.folder, timeout: .seconds(300))
        }

        private func property(_ key: String) -> Persisted<Int> {
            Persisted(wrappedValue: 0, key: key, storedBy: storage, onError: errors.append)
        }

        /// The time for which a closure waits.
        private func wait(of body: () throws -> Void) rethrows -> Duration {
            let start = clock.elapsed
            try body()
            return clock.elapsed - start
        }

        /// Advances the clock until the file holds a value.
        private func file(holds value: Int?, _ key: String) async throws -> Bool {
            try await pollUntil("Other tests and processes lock the same folder.") {
                clock.advance(by: .seconds(1))
                return try suite.file()[key] == value.map { .integer(Int64($0)) }
            }
        }

        @Test func setPropertyIsReadAtOnceAndWrittenLater() async throws {
            let (mine, other) = (property("a"), property("a"))
            #expect(other.wrappedValue == 1)
            let lock = try lock()
            for count in 1...3 {
                let waited = wait { mine.wrappedValue = 10 + count }
                #expect(waited <= (count == 1 ? .milliseconds(15) : .zero))
                #expect(
                    [mine, other, property("a")].map(\.wrappedValue)
                        == [10, 10, 10].map { $0 + count }
                )
                #expect(errors.all.map(\.operation) == Array(repeating: .write, count: count))
            }
            let first = try #require(errors.all.first)
            #expect(first.isBusy && first.description.contains(suite.path))
            #expect(wait { property("b").wrappedValue = 2 } == .zero)
            #expect(try suite.file() == ["a": .integer(1), "b": .integer(1)])
            _ = consume lock
            #expect(try await file(holds: 13, "a"))
            // No property of this key exists any more.
            #expect(try await file(holds: 2, "b"))
            #expect(mine.wrappedValue == 13)
            #expect(errors.count == 4)
        }

        @Test func removalByAPropertyIsWrittenLater() async throws {
            let value = Persisted<Int?>(key: "a", storedBy: storage, onError: errors.append)
            let lock = try lock()
            value.wrappedValue = nil
            #expect(value.wrappedValue == nil)
            _ = consume lock
            #expect(try await file(holds: nil, "a"))
            #expect(errors.count == 1)
        }

        @Test func containerIsWrittenLater() async throws {
            let shelf = Shelf(storage: storage)
            let lock = try lock()
            shelf.makeContainer(key: "a", defaultValue: 0).value = 5
            #expect(shelf.makeContainer(key: "a", defaultValue: 0).value == 5)
            #expect(shelf.reported == [.write])
            _ = consume lock
            #expect(try await file(holds: 5, "a"))
        }

        @Test func readsDoNotWait() throws {
            let lock = try lock()
            suite.defaults.set(5, forKey: "plain")
            let waited = wait {
                #expect(property("a").wrappedValue == 1)
                #expect(property("plain").wrappedValue == 5)
                #expect(property("none").wrappedValue == 0)
                let keys = try? storage.keys
                #expect(keys == ["a", "b", "plain"])
                #expect(Shelf(storage: storage).value(forKey: "b") == 1)
            }
            #expect(waited == .zero)
            #expect(errors.count == 0)
            _ = consume lock
        }

        @Test func readOfADamagedFileIsAnErrorAtOnce() throws {
            let value = property("a")
            #expect(value.wrappedValue == 1)
            let lock = try lock()
            try Data("<".utf8).write(to: URL(fileURLWithPath: suite.path))
            let waited = wait {
                #expect(value.wrappedValue == 1)
                #expect(Persister<Int?>(key: "c", storedBy: storage).retrieveValue() == nil)
            }
            #expect(waited == .zero)
            _ = consume lock
        }

        @Test func defaultIsStoredByALaterRead() async throws {
            let value = Persister(
                key: "c",
                storedBy: storage,
                defaultValue: 3,
                defaultValuePersistBehaviour: .persistWhenNil,
                onError: errors.append
            )
            let lock = try lock()
            let waited = wait {
                for _ in 0..<3 { #expect(value.retrieveValue() == 3) }
            }
            #expect(waited == .zero)
            #expect(errors.all.map(\.operation) == [.write])
            _ = consume lock
            // A read that meets another lock leaves the default to the next one.
            let isStored = try await pollUntil("Other tests and processes lock the same folder.") {
                clock.advance(by: .seconds(1))
                #expect(value.retrieveValue() == 3)
                return try suite.file()["c"] == .integer(3)
            }
            #expect(isStored)
        }

        @Test func persistWaitsAndEndsInAnError() throws {
            let value = property("a").projectedValue
            let lock = try lock()
            for body in [
                { try value.persist(2) }, { try value.update { $0 = 2 } },
                { try value.removeValue() },
            ] {
                let waited = wait { #expect(throws: PersistenceError.self) { try body() } }
                #expect(waited >= .seconds(10) && waited < .seconds(11))
            }
            #expect(value.retrieveValue() == 1)
            _ = consume lock
        }

        /// A clock whose pauses last until a signal.
        private struct BlockingClock: PersistenceClock {
            let isPaused = Signal()
            let end = Signal()

            var elapsed: Duration { end.isFired ? .seconds(100) : .zero }

            func pause(for duration: Duration) {
                isPaused.fire()
                _ = end.wait()
            }

            func run(
                at time: Duration,
                on queue: DispatchQueue,
                _ body: @escaping @Sendable () -> Void
            ) {}
        }

        @Test(arguments: [false, true])
        func readsAndSetPropertiesDoNotWaitForAThreadThatWaits(isUpdate: Bool) async throws {
            // Other tests that wait for the lock block the threads that run tasks.
            try await onOwnThread {
                let clock = BlockingClock()
                let cache = FoundationDefaultsCache(
                    location: suite.location,
                    defaults: suite.defaults
                )
                let domain = FileDefaultsDomain(cache, clock: clock)
                let shared = SharedDefaultsDomain(domain, clock: clock, watch: domain.watch)
                let storage = UserDefaultsStorage(shared)
                let values = ["a", "b"].map { key in
                    Persisted(wrappedValue: 0, key: key, storedBy: storage, onError: errors.append)
                }
                let lock = try lock()
                let waiting = RunningThread { [persister = values[0].projectedValue] in
                    if isUpdate {
                        _ = try? persister.update { $0 += 5 }
                    } else {
                        try? storage.storeValue(.integer(5), key: "a")
                    }
                }
                #expect(clock.isPaused.wait())
                #expect(values.map(\.wrappedValue) == [1, 1])
                for value in values { value.wrappedValue = 2 }
                #expect(values.map(\.wrappedValue) == [2, 2])
                clock.end.fire()
                #expect(waiting.wait())
                _ = consume lock
            }
        }
    }
}
#endif
