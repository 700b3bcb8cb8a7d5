import Testing

/// Subjects that are broken on purpose are found out, or passing means nothing.
struct LinearizabilityPlantedBugsTests {
    /// Whether some history shows that a subject is broken; most subjects take a few dozen.
    private func isNotLinearizable<Subject: LinearizabilitySubject>(_ type: Subject.Type) -> Bool {
        var trial = LinearizabilityTrial<Subject>(LinearizabilitySettings(historyCount: 4000))
        return if case .notLinearizable = trial.firstFailure() { true } else { false }
    }

    @Test func theSpecificationUnderALockPasses() {
        var trial = LinearizabilityTrial<LockedState>(LinearizabilitySettings(historyCount: 1000))
        if let failure = trial.firstFailure() { Issue.record("\(failure)") }
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

    @Test func rollbacksThatLeaveTracesAreFound() {
        #expect(isNotLinearizable(LeavesTraces<LockedState>.self))
        #expect(isNotLinearizable(LeavesTraces<LinearizableCache>.self))
    }
}
