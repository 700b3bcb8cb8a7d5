import Testing

@testable import FlatCache

/// Tests the states of a loading handle without a cache.
struct LoadProgressTests {
    /// A progress with one observation that loads.
    private var loading: LoadProgress {
        var progress = LoadProgress()
        _ = progress.beginObservation()
        _ = progress.beginLoading(isNeeded: true)
        return progress
    }

    /// A progress whose load has ended with a fresh and whole value.
    private var idle: LoadProgress {
        var progress = loading
        _ = progress.end(isWhole: true)
        return progress
    }

    /// A progress whose load has failed.
    private var pausing: LoadProgress {
        var progress = loading
        _ = progress.fail()
        return progress
    }

    // MARK: Observations

    @Test func onlyTheFirstObservationIsFirst() {
        var progress = LoadProgress()
        check(progress.beginObservation())
        check(!progress.beginObservation())
        check(!progress.endObservation())
        check(progress.endObservation())
        check(progress.beginObservation())
    }

    @Test func loadBeginsOnlyIfItIsObserved() {
        var progress = LoadProgress()
        check(progress.beginLoading(isNeeded: true) == nil)
        check(progress.recordStale(isNeeded: true) == nil)
        check(progress.recordInvalidation() == nil)
        check(progress.recordStored(version: 1, isWhole: false, isStale: false) == nil)
        check(!progress.isActive)
        _ = progress.beginObservation()
        check(progress.beginLoading(isNeeded: true) == .load(1))
        check(progress.isActive)
    }

    @Test func expectedLoadShowsBeforeItBegins() {
        var progress = LoadProgress()
        progress.expectLoad()
        check(!progress.state.isLoading)
        _ = progress.beginObservation()
        progress.expectLoad()
        check(progress.state.isLoading)
        check(progress.stateVersion == 1)
        check(progress.recordStored(version: 1, isWhole: false, isStale: false) == nil)
        check(progress.recordStale(isNeeded: true) == nil)
        check(progress.beginLoading(isNeeded: true) == .load(1))
        // The load state is the same as before.
        check(progress.stateVersion == 1)
        progress.expectLoad()
        check(progress.stateVersion == 1)
        check(progress.beginLoading(isNeeded: false) == nil)
        check(progress.state.isLoading)
    }

    @Test func expectedLoadEndsIfItIsNotNeeded() {
        var progress = LoadProgress()
        _ = progress.beginObservation()
        progress.expectLoad()
        check(progress.beginLoading(isNeeded: false) == nil)
        check(!progress.isActive)
        check(progress.stateVersion == 2)
        progress.expectLoad()
        check(progress.endObservation())
        check(!progress.isActive)
        check(progress.beginLoading(isNeeded: true) == nil)
    }

    @Test func expectedLoadBeginsWithAnInvalidation() {
        var progress = LoadProgress()
        _ = progress.beginObservation()
        progress.expectLoad()
        let load = progress.recordInvalidation()
        check(load == .load(progress.number))
        check(progress.beginLoading(isNeeded: true) == nil)
    }

    @Test func oneLoadAtATime() {
        var progress = loading
        check(progress.beginLoading(isNeeded: true) == nil)
        check(progress.recordStale(isNeeded: true) == nil)
        check(progress.recordInvalidation() == nil)
        check(progress.recordStored(version: 1, isWhole: false, isStale: false) == nil)
        var pausing = pausing
        check(pausing.beginLoading(isNeeded: true) == nil)
        check(pausing.recordStale(isNeeded: true) == nil)
        check(pausing.recordStored(version: 1, isWhole: false, isStale: false) == nil)
    }

    @Test func endOfTheLastObservationStops() {
        for active in [loading, pausing] {
            var progress = active
            _ = progress.beginObservation()
            let number = progress.number
            check(!progress.endObservation())
            check(progress.isActive)
            check(progress.endObservation())
            check(!progress.isActive)
            check(progress.number > number)
        }
    }

    @Test func endsOfFormerActivitiesHaveNoEffect() {
        var progress = loading
        let former = progress.number
        progress.stop()
        _ = progress.beginLoading(isNeeded: true)
        let version = progress.stateVersion
        check(progress.end(former, isWhole: true) == nil)
        check(progress.fail(former) == nil)
        check(progress.state.isLoading)
        check(progress.endPause(progress.number, isNeeded: true) == nil)
        check(progress.stateVersion == version)
        var pausing = pausing
        check(pausing.endPause(pausing.number - 1, isNeeded: true) == nil)
        check(pausing.end(isWhole: true) == nil)
        check(pausing.state.nextAttempt != nil)
    }

    @Test func stateVersionCountsChanges() {
        var progress = LoadProgress()
        _ = progress.beginObservation()
        check(progress.stateVersion == 0)
        _ = progress.beginLoading(isNeeded: true)
        check(progress.stateVersion == 1)
        _ = progress.recordInvalidation()
        check(progress.stateVersion == 1)
        progress.stop()
        progress.stop()
        check(progress.stateVersion == 2)
    }

    // MARK: Answers

    @Test func freshWholeAnswerEndsTheLoad() {
        var progress = loading
        check(progress.end(isWhole: true) == nil)
        check(!progress.isActive)
    }

    @Test func missingPartialOrStaleAnswersEndTheLoad() {
        for (isWhole, isStale) in [(nil, false), (false, false), (true, true), (false, true)] {
            var progress = loading
            check(progress.end(isWhole: isWhole, isStale: isStale) == nil)
            check(!progress.isActive)
        }
    }

    @Test func invalidationDuringALoadRepeatsItIfTheEntityIsNotFresh() {
        for (isWhole, isStale) in [(nil, false), (false, false), (true, true)] {
            var progress = loading
            _ = progress.recordInvalidation()
            check(progress.end(isWhole: isWhole, isStale: isStale) == .load(progress.number))
            // Only once.
            check(progress.end(isWhole: isWhole, isStale: isStale) == nil)
        }
        // An answer that was stored after the invalidation ends the load.
        var progress = loading
        _ = progress.recordInvalidation()
        check(progress.end(isWhole: true) == nil)
    }

    @Test func answerThatWasNotStoredRepeatsTheLoadIfItIsNeeded() {
        for conflict in [WriteKind.store, .invalidation] {
            var progress = loading
            check(progress.end(isWhole: true, conflict: conflict) == nil)
            var stale = loading
            check(stale.end(isWhole: true, isStale: true, conflict: conflict) != nil)
            var partial = loading
            check(partial.end(isWhole: false, conflict: conflict) != nil)
        }
        var removed = loading
        check(removed.end(isWhole: nil, conflict: .removal) == nil)
    }

    @Test func partialValueInPlaceOfAWholeAnswerRepeatsTheLoad() {
        var progress = loading
        let number = progress.number
        let activity = progress.endLoad(
            number,
            with: LoadProgress.Answer(isWhole: true),
            storedAs: LoadProgress.StoredState(version: 1, isWhole: false, isStale: false)
        )
        check(activity == .load(number + 1))
    }

    // MARK: Failures

    @Test func failuresAreCountedUntilASuccess() {
        var progress = loading
        for count in 1...5 {
            check(progress.fail(expectedCount: count) != nil)
            check(progress.endPause(progress.number, isNeeded: true) != nil)
        }
        _ = progress.end(isWhole: true)
        _ = progress.recordStale(isNeeded: true)
        check(progress.fail(expectedCount: 1) != nil)
        _ = progress.endPause(progress.number, isNeeded: true)
        check(progress.fail(expectedCount: 2) != nil)
        check(progress.recordInvalidation() != nil)
        check(progress.fail(expectedCount: 1) != nil)
    }

    @Test func pauseEndsWithoutALoadIfNoneIsNeeded() {
        var progress = pausing
        check(progress.endPause(progress.number, isNeeded: false) == nil)
        check(!progress.isActive)
        check(progress.state.name == "idle")
    }

    @Test func wholeValueEndsAPause() {
        var progress = pausing
        check(progress.recordStored(version: 1, isWhole: false, isStale: false) == nil)
        check(progress.isActive)
        check(progress.recordStored(version: 2, isWhole: true, isStale: false) == nil)
        check(!progress.isActive)
    }

    @Test func stateShowsTheErrorAndTheNextAttempt() {
        let state = pausing.state
        check(state.error is StationServer.Failure)
        check(state.nextAttempt == CacheInstant(Time(nanoseconds: 7)))
        check(!state.isLoading)
    }

    // MARK: Changes of the entity

    @Test func partialValueIsLoadedUnlessTheLastAnswerWasPartial() {
        var progress = idle
        check(progress.recordStored(version: 1, isWhole: false, isStale: false) == nil)
        let activity = progress.recordStored(version: 2, isWhole: false, isStale: false)
        check(activity == .load(progress.number))
        _ = progress.end(isWhole: false, version: 3)
        check(progress.recordStored(version: 4, isWhole: false, isStale: false) == nil)
        check(progress.recordStored(version: 5, isWhole: true, isStale: false) == nil)
        check(progress.recordStored(version: 6, isWhole: false, isStale: false) != nil)
    }

    @Test func staleValueIsLoadedUnlessItArrivedStale() {
        var progress = idle
        check(progress.recordStale(isNeeded: true) != nil)
        _ = progress.end(isWhole: true, isStale: true, version: 5)
        check(progress.recordStale(isNeeded: true) == nil)
        check(progress.recordStale(isNeeded: true) != nil)
        _ = progress.end(isWhole: true, isStale: true, version: 7)
        // A later value replaces the one that arrived stale.
        _ = progress.recordStored(version: 8, isWhole: true, isStale: false)
        check(progress.recordStale(isNeeded: true) != nil)
    }

    @Test func staleValueThatIsNoLongerStoredIsNotLoaded() {
        var progress = idle
        check(progress.recordStale(isNeeded: false) == nil)
        check(!progress.isActive)
    }

    @Test func invalidationIsLoadedEvenIfTheValueArrivedStale() {
        var progress = loading
        _ = progress.end(isWhole: true, isStale: true)
        check(progress.recordInvalidation() != nil)
    }

    @Test("A loader whose own writes outdate its answers repeats a load once")
    func storesDuringLoadsRepeatOnce() {
        var progress = LoadProgress()
        _ = progress.beginObservation()
        _ = progress.beginLoading(isNeeded: true)
        let answer = LoadProgress.Answer(isWhole: false, conflict: .store)
        let state = LoadProgress.StoredState(version: 1, isWhole: false, isStale: false)
        #expect(progress.endLoad(progress.number, with: answer, storedAs: state) != nil)
        #expect(progress.endLoad(progress.number, with: answer, storedAs: state) == nil)
    }

    @Test("A loader that invalidates its own answers doesn't load without end")
    func invalidationsDuringLoadsRepeatALimitedNumberOfTimes() {
        var progress = LoadProgress()
        _ = progress.beginObservation()
        var activity = progress.beginLoading(isNeeded: true)
        var count = 0
        while case .load = activity, count < 100 {
            count += 1
            let answer = LoadProgress.Answer(isWhole: true, conflict: .invalidation)
            let state = LoadProgress.StoredState(version: 1, isWhole: true, isStale: true)
            activity = progress.endLoad(progress.number, with: answer, storedAs: state)
        }
        #expect(count == 11)
        let pause = LoadProgress.Activity.pause(progress.number, until: Time(nanoseconds: 7))
        #expect(activity == pause)
        #expect(progress.state.name == "idle")
        // Another pause precedes each further load.
        let answer = LoadProgress.Answer(isWhole: true, conflict: .invalidation)
        let state = LoadProgress.StoredState(version: 1, isWhole: true, isStale: true)
        activity = progress.endPause(progress.number, isNeeded: true)
        #expect(activity == .load(progress.number))
        activity = progress.endLoad(progress.number, with: answer, storedAs: state)
        #expect(activity == .pause(progress.number, until: Time(nanoseconds: 7)))
    }

    @Test("A handle shows no failure of a load that is no longer needed")
    func needlessLoadThatFails() {
        var progress = loading
        check(progress.fail(isNeeded: false) == nil)
        check(progress.state.name == "idle")
    }

    @Test("Another loader ends the pause after a failure, and no other activity")
    func newLoader() {
        var progress = idle
        check(progress.recordNewLoader() == nil)
        progress = loading
        check(progress.recordNewLoader() == nil)
        progress = pausing
        check(progress.recordNewLoader() == .load(progress.number))
        check(progress.fail(expectedCount: 1) != nil)
    }

    @Test("A removal that the end of a load has seen doesn't end the next load")
    func lateRemoval() {
        var progress = loading
        check(progress.end(isWhole: false, conflict: .store, version: 5) != nil)
        progress.recordRemoval(version: 4, isStored: true)
        check(progress.isActive)
        progress.recordRemoval(version: 4, isStored: false)
        check(!progress.isActive)
    }

    @Test("A value that became stale during a load is loaded when it becomes stale again")
    func stalenessDuringALoadHidesNoLaterOne() {
        var progress = LoadProgress()
        _ = progress.beginObservation()
        _ = progress.beginLoading(isNeeded: true)
        #expect(progress.recordStale(isNeeded: true) == nil)
        let answer = LoadProgress.Answer(isWhole: true, conflict: nil)
        let state = LoadProgress.StoredState(version: 1, isWhole: true, isStale: true)
        #expect(progress.endLoad(progress.number, with: answer, storedAs: state) == nil)
        #expect(progress.recordStale(isNeeded: true) != nil)
    }
}

extension LoadProgress {
    /// Ends a load with an answer; a pause ends after seven nanoseconds.
    mutating func endLoad(
        _ number: UInt64,
        with answer: Answer,
        storedAs state: StoredState
    ) -> Activity? {
        endLoad(number, with: answer, storedAs: state) { _ in Time(nanoseconds: 7) }
    }

    /// Ends the present load with an answer that's stored as it is, unless there's a conflict.
    fileprivate mutating func end(
        _ number: UInt64? = nil,
        isWhole: Bool?,
        isStale: Bool = false,
        conflict: WriteKind? = nil,
        version: UInt64 = 1
    ) -> Activity? {
        endLoad(
            number ?? self.number,
            with: Answer(isWhole: isWhole, conflict: conflict),
            storedAs: StoredState(version: version, isWhole: isWhole, isStale: isStale)
        )
    }

    /// Lets the present load fail.
    fileprivate mutating func fail(
        _ number: UInt64? = nil,
        isNeeded: Bool = true,
        expectedCount: Int? = nil
    ) -> Activity? {
        let error = StationServer.Failure()
        return failLoad(number ?? self.number, with: error, isNeeded: isNeeded) { count in
            if let expectedCount { check(count == expectedCount) }
            return Time(nanoseconds: 7)
        }
    }
}

/// Records an issue unless a condition holds, which may be a call of a mutating method.
private func check(_ condition: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(condition, sourceLocation: sourceLocation)
}
