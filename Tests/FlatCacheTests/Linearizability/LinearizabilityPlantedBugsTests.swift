import Testing

/// Subjects that are broken on purpose are found out, or passing means nothing.
struct LinearizabilityPlantedBugsTests {
    /// Whether some history shows that a subject is broken; most subjects take a few dozen.
    private func isNotLinearizable<Subject: LinearizabilitySubject>(_ type: Subject.Type) -> Bool {
        // No variable changes the number: a few dozen histories suffice, but not always.
        let settings = RandomTestSettings(seeds: 4000, hasThreads: true, environment: [:])
        var trial = LinearizabilityTrial<Subject>(settings)
        return if case .notLinearizable = trial.firstFailure() { true } else { false }
    }

    @Test func theSpecificationUnderALockPasses() {
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

    @Test func rollbacksThatLeaveTracesAreFound() {
        #expect(isNotLinearizable(LeavesTraces<LockedState>.self))
        #expect(isNotLinearizable(LeavesTraces<LinearizableCache>.self))
    }
}
