import Testing

@testable import FlatCacheTestSupport

/// Tests that the checker rejects subjects with known defects.
@Suite(.exclusive)
struct LinearizabilityPlantedBugsTests {
    /// Returns a Boolean value that indicates whether a history proves a subject wrong.
    ///
    /// Most subjects take a few dozen histories.
    private func isNotLinearizable<Subject: LinearizabilitySubject>(_ type: Subject.Type) -> Bool {
        // The environment keeps the number of histories fixed. A few dozen usually suffice. If one
        // history in a hundred proves the subject wrong, 4,000 of them miss it less than once in
        // 10^17 runs.
        let settings = RandomTestSettings(
            seeds: 4000,
            hasThreads: true,
            environment: RandomTestSettings.whole
        )
        var trial = LinearizabilityTrial<Subject>(settings)
        return if case .notLinearizable = trial.firstFailure() { true } else { false }
    }

    @Test func specificationUnderALockPasses() {
        let settings = RandomTestSettings(seeds: 1000, hasThreads: true)
        var trial = LinearizabilityTrial<LockedState>(settings)
        trial.firstFailure()?.report.record()
    }

    @Test func updatesInTwoStepsAreFound() {
        #expect(isNotLinearizable(LosesUpdates<LockedState>.self))
        #expect(isNotLinearizable(LosesUpdates<LinearizableCache>.self))
    }

    @Test func batchesThatCanBeSeenHalfAreFound() {
        #expect(isNotLinearizable(TearsBatches<LockedState>.self))
        #expect(isNotLinearizable(TearsBatches<LinearizableCache>.self))
    }

    @Test func snapshotsOfSeveralMomentsAreFound() {
        #expect(isNotLinearizable(TearsSnapshots<LockedState>.self))
        #expect(isNotLinearizable(TearsSnapshots<LinearizableCache>.self))
    }

    @Test func handlesThatLagBehindAreFound() {
        #expect(isNotLinearizable(KeepsStaleHandles<LockedState>.self))
        #expect(isNotLinearizable(KeepsStaleHandles<LinearizableCache>.self))
    }

    @Test func queriesOfSeveralMomentsAreFound() {
        #expect(isNotLinearizable(TearsQueries<LockedState>.self))
        #expect(isNotLinearizable(TearsQueries<LinearizableCache>.self))
    }

    @Test func rollbacksThatLeaveTracesAreFound() {
        #expect(isNotLinearizable(LeavesTraces<LockedState>.self))
        #expect(isNotLinearizable(LeavesTraces<LinearizableCache>.self))
    }
}
