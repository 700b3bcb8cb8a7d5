import FlatCache
import Foundation
import Testing

@testable import FlatCachePersistence

@Suite struct StorageConformanceTests {
    @Test func memoryKeepsAllPromises() {
        let storage = InMemoryStorage<String, PropertyListValue>()
        let failures = StorageConformance.check(
            storage,
            key: "a",
            otherKey: "b",
            values: (.integer(1), .string("x")),
            another: { storage },
            deadline: 300
        )
        #expect(failures.isEmpty, "\(failures)")
        #expect(storage.keys.isEmpty)
    }

    @Test func filesKeepAllPromises() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("conformance-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let failures = StorageConformance.check(
            FileStorage(),
            key: folder.appendingPathComponent("a"),
            otherKey: folder.appendingPathComponent("b"),
            values: (Data("1".utf8), Data()),
            another: { FileStorage() },
            deadline: 300
        )
        #expect(failures.isEmpty, "\(failures)")
    }

    @Test func aStorageThatAnnouncesLittleKeepsAllPromises() {
        let storage = PlainStorage(announcesEveryChange: false)
        let failures = StorageConformance.check(
            storage,
            key: "a",
            otherKey: "b",
            values: (Data([1]), Data([2])),
            another: { storage },
            change: { storage.changeSilently($1, to: $0) },
            deadline: 300
        )
        #expect(!failures.map(\.promise).contains(.announcesEveryChange), "\(failures)")
    }

    @Test func theUsersDefaultsKeepAllPromises() throws {
        let name = "FlatCacheTests.\(UUID().uuidString)"
        let storage = try #require(UserDefaultsStorage(suiteName: name))
        let failures = StorageConformance.check(
            storage,
            key: "a",
            otherKey: "b",
            values: (.integer(1), .string("x")),
            another: { storage },
            deadline: 300
        )
        #expect(failures.isEmpty, "\(failures)")
    }

    private func broken(
        _ flaw: BrokenStorage.Flaw,
        deadline: Double = 300
    ) -> Set<StorageConformance.Promise> {
        let another: (@Sendable () -> BrokenStorage)? =
            flaw == .doesNotShare ? { @Sendable in BrokenStorage(.none) } : nil
        let storage = BrokenStorage(flaw)
        let failures = StorageConformance.check(
            storage,
            key: "a",
            otherKey: "b",
            values: (1, 2),
            another: another,
            change: { try storage.change($0, $1) },
            deadline: deadline
        )
        return Set(failures.map { $0.promise })
    }

    @Test(
        arguments: [
            (BrokenStorage.Flaw.none, nil),
            (.storesNothing, .storesValues),
            (.keepsTheOlderValue, .storesValues),
            (.ignoresRemovals, .removesValues),
            (.throwsWhenNothingIsThere, .removesNothing),
            (.mixesUpKeys, .keepsKeysApart),
            (.tellsNobody, .tellsListeners),
            (.tellsOnlyTheFirst, .tellsListeners),
            (.tellsOfOtherKeys, .tellsListeners),
            (.hidesRemovals, .tellsOfRemovals),
            (.tellsTheCurrentValue, .tellsOnlyWhatIsNew),
            (.ignoresTokens, .endsWithTheToken),
            (.endsAllWithOne, .endsWithTheToken),
            (.doesNotShare, .sharesThePlace),
            (.doesNotShare, .announcesEveryChange),
            (.changesInSilence, .announcesEveryChange),
        ] as [(BrokenStorage.Flaw, StorageConformance.Promise?)]
    )
    func eachBrokenPromiseIsFound(
        _ flaw: BrokenStorage.Flaw,
        _ promise: StorageConformance.Promise?
    ) {
        // The check waits for a call that never comes.
        let found = broken(flaw, deadline: flaw == .doesNotShare ? 1 : 300)
        if let promise {
            #expect(found.contains(promise), "found only \(found)")
        } else {
            #expect(found.isEmpty, "found \(found)")
        }
    }

    @Test(arguments: [
        (BrokenStorage.Flaw.tellsAllAtOnce, StorageConformance.Promise.tellsOneByOne),
        (.losesValuesForAMoment, .survivesConcurrency),
    ])
    func intermittentFlawIsFound(
        _ flaw: BrokenStorage.Flaw,
        _ promise: StorageConformance.Promise
    ) {
        // A single run depends on the scheduler, so the check is repeated many times.
        #expect((0..<1000).contains { _ in broken(flaw).contains(promise) })
    }

    @Test func hangingStorageFailsTheCheckWithoutHanging() {
        #expect(broken(.tellsUnderItsLock, deadline: 1) == [.letsListenersUseTheKey])
    }

    @Test func aFailureNamesThePromise() throws {
        let failures = StorageConformance.check(
            BrokenStorage(.hidesRemovals),
            key: "a",
            otherKey: "b",
            values: (1, 2)
        )
        let failure = try #require(failures.first { $0.promise == .tellsOfRemovals })
        #expect(failure.description.contains("tellsOfRemovals"))
    }
}
