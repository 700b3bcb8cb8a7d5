import Testing

@testable import FlatCache

/// Tests the progress of a handle whose answer becomes stale before the handle is notified of it.
struct LateStalenessTests {
    private var progress = LoadProgress()

    init() {
        _ = progress.beginObservation()
        _ = progress.beginLoading()
    }

    /// Ends the load with an answer that was fresh when it was stored, and is stale now.
    private mutating func endLoad(
        isWhole: Bool? = true,
        conflict: WriteKind? = nil
    ) -> LoadProgress.Activity? {
        progress.endLoad(
            progress.number,
            with: LoadProgress.Answer(isWhole: isWhole, conflict: conflict),
            storedAs: LoadProgress.StoredState(
                version: 1,
                isWhole: true,
                isStale: true,
                becameStale: true
            )
        )
    }

    @Test mutating func notificationAfterTheEndOfTheLoadBeginsAnotherOne() {
        #expect(endLoad() == nil)
        #expect(progress.recordStale(isNeeded: true) == .load(2))
    }

    @Test mutating func notificationBeforeTheEndOfTheLoadRepeatsIt() {
        #expect(progress.recordStale(isNeeded: true) == nil)
        #expect(endLoad() == .load(2))
        // The next end of a load doesn't remember the notification.
        #expect(endLoad() == nil)
    }

    @Test mutating func emptyAnswerIsNotRepeated() {
        #expect(progress.recordStale(isNeeded: true) == nil)
        #expect(endLoad(isWhole: nil) == nil)
    }

    @Test mutating func emptyAnswerHidesTheStalenessThatHasCausedTheLoad() {
        #expect(endLoad(isWhole: nil) == nil)
        #expect(progress.recordStale(isNeeded: true) == nil)
        #expect(progress.recordStale(isNeeded: true) == .load(2))
    }

    @Test mutating func invalidationsRepeatALimitedNumberOfTimes() {
        var count = 0
        repeat {
            count += 1
            _ = progress.recordStale(isNeeded: true)
            _ = progress.recordInvalidation()
        } while endLoad() != nil && count < 100
        #expect(count == 11)
    }
}
