import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests the progress of a handle whose answer becomes stale before the handle is notified of it.
struct LateStalenessTests {
    private var progress = LoadProgress()

    init() {
        _ = progress.beginObservation()
        _ = progress.beginLoading(isNeeded: true)
    }

    /// Ends the load with an answer that was fresh when it was stored, and is stale now.
    private mutating func endLoad(
        isWhole: Bool? = true,
        conflict: WriteKind? = nil,
        isNew: Bool = false
    ) -> LoadProgress.Activity? {
        progress.endLoad(
            progress.number,
            with: LoadProgress.Answer(isWhole: isWhole, conflict: conflict),
            storedAs: LoadProgress.StoredState(
                version: 1,
                isWhole: true,
                isStale: true,
                becameStale: true,
                isNew: isNew
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

    @Test mutating func emptyAnswerHidesNoStalenessOfALaterValue() {
        #expect(endLoad(isWhole: nil, isNew: true) == nil)
        #expect(progress.recordStale(isNeeded: true) == .load(2))
    }

    @Test mutating func laterValueIsLoadedAlthoughItRefusesTheAnswer() {
        for number: UInt64 in 2...4 {
            #expect(progress.recordStale(isNeeded: true) == nil)
            #expect(endLoad(conflict: .store, isNew: true) == .load(number))
        }
    }

    @Test mutating func invalidationsRepeatALimitedNumberOfTimes() {
        var loadCount = 0
        var activity: LoadProgress.Activity?
        repeat {
            loadCount += 1
            _ = progress.recordStale(isNeeded: true)
            _ = progress.recordInvalidation()
            activity = endLoad()
        } while activity == .load(progress.number) && loadCount < 100
        #expect(loadCount == 11)
        #expect(activity == .pause(12, until: .start))
    }

    @Test("A stale answer isn't loaded again although the former value became stale meanwhile")
    mutating func staleAnswerAfterTheStalenessOfTheFormerValue() {
        #expect(progress.recordStale(isNeeded: true) == nil)
        #expect(progress.recordStored(version: 2, isWhole: true, isStale: true) == nil)
        let state = LoadProgress.StoredState(version: 2, isWhole: true, isStale: true)
        let answer = LoadProgress.Answer(isWhole: true)
        #expect(progress.endLoad(progress.number, with: answer, storedAs: state) == nil)
        // The notification of the answer's staleness.
        #expect(progress.recordStale(isNeeded: true) == nil)
    }
}
