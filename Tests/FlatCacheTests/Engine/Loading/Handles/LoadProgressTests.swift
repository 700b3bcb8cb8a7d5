import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests the states of a loading handle without a cache.
struct LoadProgressTests {
    /// A progress with one observation that loads.
    var loading: LoadProgress {
        var progress = LoadProgress()
        _ = progress.beginObservation()
        _ = progress.beginLoading(isNeeded: true)
        return progress
    }

    /// A progress whose load has ended with a fresh and whole value.
    var idle: LoadProgress {
        var progress = loading
        _ = progress.end(isWhole: true)
        return progress
    }

    /// A progress whose load has failed.
    var pausing: LoadProgress {
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

    @Test("Late notifications from before an observation don't end its wait for the load")
    func lateNotifications() {
        var progress = LoadProgress()
        _ = progress.beginObservation()
        progress.expectLoad()
        progress.recordRemoval()
        progress.recordRemoval(version: 1, isStored: false)
        check(progress.recordInvalidation() == nil)
        check(progress.state.isLoading)
        check(progress.stateVersion == 1)
        check(progress.beginLoading(isNeeded: true) == .load(1))
        check(progress.stateVersion == 1)
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
}
