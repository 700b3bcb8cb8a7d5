import FlatCachePersistence
import Testing

@testable import FlatCacheTesting

struct StorageConformanceTests {
    /// Checks a storage with a flaw.
    ///
    /// A broken storage calls its listeners at once or never, so the check needs no patience.
    private func failures(
        _ flaw: BrokenStorage.Flaw,
        announcesEveryChange: Bool = true,
        promises: [StorageConformance.Promise] = StorageConformance.Promise.allCases,
        deadline: Double = 600
    ) -> [StorageConformance.Failure] {
        let storage = BrokenStorage(flaw, announcesEveryChange: announcesEveryChange)
        let another: (@Sendable () -> BrokenStorage)? =
            flaw == .doesNotShare ? { @Sendable in BrokenStorage(.none) } : nil
        let check = StorageCheck(
            storage: storage,
            key: "a",
            otherKey: "b",
            first: 1,
            second: 2,
            another: another,
            change: { try storage.change($0, $1) },
            patience: flaw == .none ? 300 : 0.01
        )
        return check.run(promises, deadline: deadline)
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
        if let promise {
            #expect(failures(flaw, promises: [promise]).map(\.promise) == [promise])
        } else {
            #expect(failures(flaw) == [])
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
        #expect((0..<1000).contains { _ in !failures(flaw, promises: [promise]).isEmpty })
    }

    @Test func storageThatDoesNotAnnounceEveryChangeMayChangeSilently() {
        #expect(failures(.changesSilently, announcesEveryChange: false) == [])
    }

    @Test func hangingStorageFailsTheCheckWithoutHanging() {
        let promise = StorageConformance.Promise.allowsReentrantListeners
        // The check never ends, so that a short deadline suffices.
        let found = failures(.notifiesUnderLock, promises: [promise], deadline: 0.1)
        #expect(found.map(\.promise) == [promise])
    }

    @Test func descriptionOfAFailureNamesThePromise() throws {
        let failure = try #require(failures(.ignoresRemovals, promises: [.removesValues]).first)
        #expect(failure.description.contains("removesValues"))
    }
}
