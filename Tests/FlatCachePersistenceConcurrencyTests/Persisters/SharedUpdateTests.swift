import FlatCacheTesting
import Foundation
import Testing

@testable import FlatCache
@testable import FlatCachePersistence
@testable import FlatCachePersistenceTestSupport

extension DefaultsFolderTests {
    /// Updates that exclude other processes.
    @Suite struct SharedUpdateTests {
        private let folder: TemporaryFolder

        init() throws { folder = try TemporaryFolder() }

        private func file(_ name: String = "count") -> Persister<Int> {
            Persister(
                file: folder.file(name),
                transformer: JSONTransformer(),
                defaultValue: 0,
                onError: { _ in }
            )
        }

        @Test func updatesOfAFileExcludeEachOther() async throws {
            let persisters = (0..<4).map { _ in file() }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for persister in persisters {
                    group.addTask {
                        for _ in 0..<25 {
                            try await persister.updateShared { $0 += 1 }
                            try persister.update { $0 += 1 }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(persisters.map { $0.retrieveValue() } == [200, 200, 200, 200])
            #expect(try folder.contents == ["count"])
        }

        @Test func updateBeginsWithTheNewestValue() async throws {
            let count = file()
            #expect(count.retrieveValue() == 0)
            try Data("5".utf8).write(to: folder.file("count"))
            let prior = try await count.updateShared { value in
                defer { value += 1 }
                return value
            }
            #expect(prior == 5)
            #expect(count.retrieveValue() == 6)
        }

        @Test func failedUpdateStoresNothingAndReleasesTheLock() async throws {
            let count = file()
            await #expect(throws: Refused.self) {
                try await count.updateShared { value in
                    value = 1
                    throw Refused()
                }
            }
            #expect(try folder.contents == [])
            try Data("x".utf8).write(to: folder.file("count"))
            await #expect(throws: PersistenceError.self) {
                try await count.updateShared { $0 += 1 }
            }
            #expect(try Data(contentsOf: folder.file("count")) == Data("x".utf8))
            try FileManager.default.removeItem(at: folder.file("count"))
            try await count.updateShared { $0 += 1 }
            #expect(count.retrieveValue() == 1)
        }

        @Test func updateWaitsForALimitedTime() async throws {
            let count = file()
            let lock = try FolderLock(folder: folder.url.path)
            let error = await #expect(throws: PersistenceError.self) {
                try await count.updateShared(timeout: .milliseconds(1)) { $0 += 1 }
            }
            #expect(error?.operation == .write && error?.isBusy == true)
            let cancelled = Task { try await count.updateShared(timeout: hangLimit) { $0 += 1 } }
            cancelled.cancel()
            await #expect(throws: CancellationError.self) { try await cancelled.value }
            let waiting = Task { try await count.updateShared(timeout: hangLimit) { $0 += 1 } }
            // It doesn't wait for the lock.
            try count.update { $0 += 5 }
            _ = consume lock
            try await waiting.value
            #expect(count.retrieveValue() == 6)
        }

        @Test func updateMayUseOtherValues() async throws {
            let (one, two) = (file("one"), file("two"))
            try await one.updateShared { value in
                value += 1
                try two.update { $0 += 2 }
                #expect(one.retrieveValue() == 0)
            }
            #expect(one.retrieveValue() == 1 && two.retrieveValue() == 2)
        }

        @Test func storagesWithoutALockThrow() async throws {
            let memory = Persister(
                key: "a",
                storedBy: InMemoryStorage<String, Int>(),
                defaultValue: 0
            )
            try await memory.updateShared { $0 += 1 }
            #expect(memory.retrieveValue() == 1)
            let other = Persister(key: "a", storedBy: FailingStorage(), defaultValue: 0)
            let error = await #expect(throws: PersistenceError.self) {
                try await other.updateShared { $0 += 1 }
            }
            #expect(error?.description.contains("update(_:)") == true)
        }

        @Test @MainActor func closureRunsOnTheActorOfTheCaller() async throws {
            var calls = 0
            try await file().updateShared { value in
                MainActor.assertIsolated()
                calls += 1
                value = calls
            }
            #expect(calls == 1)
        }

        @Test func defaultIsEvaluatedOnceAndMayUseTheKey() async throws {
            let evaluations = Recorder<Int>()
            let url = folder.file("a")
            @Sendable func makeDefault() -> Int {
                evaluations.append(1)
                try? FileStorage().removeValue(for: url)
                return 5
            }
            let value = Persister(
                file: url,
                transformer: JSONTransformer(),
                defaultValue: makeDefault()
            )
            try await value.updateShared { $0 += 1 }
            #expect(value.retrieveValue() == 6)
            #expect(evaluations.count == 1)
        }

        #if os(Linux)
        /// Domains that share only the file, as those of two processes.
        @Test(.exclusive) func updatesOfADefaultExcludeEachOther() async throws {
            let suite = try TemporarySuite()
            let storages = (0..<3).map { _ in
                let domain = suite.makeDomain()
                return UserDefaultsStorage(
                    SharedDefaultsDomain(domain, watch: domain.watch)
                )
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (index, storage) in storages.enumerated() {
                    group.addTask {
                        let count = Persister(key: "count", storedBy: storage, defaultValue: 0)
                        let own = Persister(key: "\(index)", storedBy: storage, defaultValue: 0)
                        for _ in 0..<20 {
                            try await count.updateShared(timeout: hangLimit) { value in
                                value += 1
                                try own.update { $0 += 1 }
                                #expect(own.retrieveValue() > 0)
                            }
                            try own.update { $0 += 1 }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let file = try suite.file()
            #expect(file["count"] == .integer(60))
            for index in 0..<3 { #expect(file["\(index)"] == .integer(40)) }
        }

        @Test func containerIsUpdated() async throws {
            let suite = try TemporarySuite()
            let shelf = Shelf(storage: UserDefaultsStorage(suite.defaults))
            for _ in 0..<3 {
                let container = shelf.makeContainer(key: "a", defaultValue: 1)
                try await container.updateShared(timeout: hangLimit) { $0 += 1 }
            }
            #expect(try suite.file() == ["a": .integer(4)])
        }
        #endif
    }
}
