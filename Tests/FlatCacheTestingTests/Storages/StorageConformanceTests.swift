import FlatCachePersistence
import Testing

@testable import FlatCacheTesting

struct StorageConformanceTests {
    /// Checks a storage with a flaw.
    ///
    /// A broken storage calls its listeners at once or never, so a check that fails needs no
    /// patience.
    private func failures(
        _ flaw: BrokenStorage.Flaw,
        announcesEveryChange: Bool = true,
        requirements: [StorageConformance.Requirement] = StorageConformance.Requirement.allCases,
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
            patience: flaw == .none || !announcesEveryChange ? 300 : 0.01
        )
        return check.run(requirements, deadline: deadline)
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
        ] as [(BrokenStorage.Flaw, StorageConformance.Requirement?)]
    )
    func checkFindsEachUnmetRequirement(
        _ flaw: BrokenStorage.Flaw,
        _ requirement: StorageConformance.Requirement?
    ) {
        if let requirement {
            #expect(failures(flaw, requirements: [requirement]).map(\.requirement) == [requirement])
        } else {
            #expect(failures(flaw) == [])
        }
    }

    @Test(arguments: [
        (
            BrokenStorage.Flaw.overlapsListenerCalls,
            StorageConformance.Requirement.serializesListenerCalls
        ),
        (.losesValuesBriefly, .supportsConcurrentAccess),
    ])
    func checkFindsIntermittentFlaw(
        _ flaw: BrokenStorage.Flaw,
        _ requirement: StorageConformance.Requirement
    ) {
        // A single run depends on the scheduler, so the check is repeated many times.
        #expect((0..<1000).contains { _ in !failures(flaw, requirements: [requirement]).isEmpty })
    }

    @Test func storageThatDoesNotAnnounceEveryChangeMayChangeSilently() {
        #expect(failures(.changesSilently, announcesEveryChange: false) == [])
    }

    @Test func hangingStorageFailsTheCheckWithoutHanging() {
        let requirement = StorageConformance.Requirement.allowsReentrantListeners
        // The check never ends, so that a short deadline suffices.
        let found = failures(.notifiesUnderLock, requirements: [requirement], deadline: 0.1)
        #expect(found.map(\.requirement) == [requirement])
    }

    @Test func descriptionOfAFailureNamesTheRequirement() throws {
        let failure = try #require(failures(.ignoresRemovals, requirements: [.removesValues]).first)
        #expect(failure.description.contains("removesValues"))
    }
}
