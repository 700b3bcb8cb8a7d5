import FlatCachePersistence
import FlatCacheTesting
import Testing

struct StorageConformanceTests {
    private func broken(
        _ flaw: BrokenStorage.Flaw,
        announcesEveryChange: Bool = true,
        deadline: Double = 300
    ) -> Set<StorageConformance.Promise> {
        let another: (@Sendable () -> BrokenStorage)? =
            flaw == .doesNotShare ? { @Sendable in BrokenStorage(.none) } : nil
        let storage = BrokenStorage(flaw, announcesEveryChange: announcesEveryChange)
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
            (.keepsOlderValue, .storesValues),
            (.ignoresRemovals, .removesValues),
            (.throwsForMissingValues, .allowsRemovalOfMissingValues),
            (.confusesKeys, .separatesKeys),
            (.notifiesNoListener, .notifiesListeners),
            (.notifiesOnlyFirstListener, .notifiesListeners),
            (.notifiesOfOtherKeys, .notifiesListeners),
            (.hidesRemovals, .notifiesOfRemovals),
            (.replaysCurrentValue, .skipsExistingValues),
            (.ignoresTokens, .endsListeningWithToken),
            (.endsAllListenersWithOneToken, .endsListeningWithToken),
            (.doesNotShare, .sharesChanges),
            (.doesNotShare, .announcesEveryChange),
            (.changesSilently, .announcesEveryChange),
        ] as [(BrokenStorage.Flaw, StorageConformance.Promise?)]
    )
    func checkFindsEachBrokenPromise(
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
        (
            BrokenStorage.Flaw.overlapsListenerCalls,
            StorageConformance.Promise.serializesListenerCalls
        ),
        (.losesValuesBriefly, .supportsConcurrentAccess),
    ])
    func checkFindsIntermittentFlaw(
        _ flaw: BrokenStorage.Flaw,
        _ promise: StorageConformance.Promise
    ) {
        // A single run depends on the scheduler, so the check is repeated many times.
        #expect((0..<1000).contains { _ in broken(flaw).contains(promise) })
    }

    @Test func storageThatDoesNotAnnounceEveryChangeMayChangeSilently() {
        let found = broken(.changesSilently, announcesEveryChange: false)
        #expect(found.isEmpty, "found \(found)")
    }

    @Test func hangingStorageFailsTheCheckWithoutHanging() {
        #expect(broken(.notifiesUnderLock, deadline: 1) == [.allowsReentrantListeners])
    }

    @Test func descriptionOfAFailureNamesThePromise() throws {
        let failures = StorageConformance.check(
            BrokenStorage(.hidesRemovals),
            key: "a",
            otherKey: "b",
            values: (1, 2)
        )
        let failure = try #require(failures.first { $0.promise == .notifiesOfRemovals })
        #expect(failure.description.contains("notifiesOfRemovals"))
    }
}
