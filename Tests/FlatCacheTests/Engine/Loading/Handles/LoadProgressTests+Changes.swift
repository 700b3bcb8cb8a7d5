import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

extension LoadProgressTests {
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
        progress.endOfPause = Time(nanoseconds: 1_200_000_000)
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
        #expect(activity == .pause(progress.number, until: progress.endOfPause))
        #expect(progress.state.name == "idle")
        // Another pause precedes each further load.
        let answer = LoadProgress.Answer(isWhole: true, conflict: .invalidation)
        let state = LoadProgress.StoredState(version: 1, isWhole: true, isStale: true)
        progress.now = progress.endOfPause
        progress.endOfPause = Time(nanoseconds: 2_400_000_000)
        activity = progress.endPause(progress.number, isNeeded: true)
        #expect(activity == .load(progress.number))
        activity = progress.endLoad(progress.number, with: answer, storedAs: state)
        #expect(activity == .pause(progress.number, until: progress.endOfPause))
    }

    @Test("Whatever causes the loads, a pause follows eleven quick ones", arguments: [0, 1, 2, 3])
    func manyQuickLoads(cause: Int) {
        var progress = idle
        var version: UInt64 = 1
        func load() -> LoadProgress.Activity? {
            version += 2
            switch cause {
            case 0: return progress.recordStored(version: version, isWhole: false, isStale: false)
            case 1: return progress.recordStale(isNeeded: true)
            case 2: return progress.recordInvalidation()
            default:
                progress.recordRemoval()
                return progress.recordStored(version: version, isWhole: false, isStale: false)
            }
        }
        var count = 0
        while case .load = load(), count < 100 {
            count += 1
            check(progress.end(isWhole: true, version: version + 1) == nil)
        }
        #expect(count == 10)
        let number = progress.number
        // No cause begins another pause during this one, because that would end later.
        if cause < 3 { check(load() == nil) }
        check(progress.number == number)
        progress.now = Time(nanoseconds: 1_000_000_000)
        check(progress.endPause(number, isNeeded: true) == .load(number + 1))
        check(progress.end(isWhole: true, version: 100) == nil)
        version = 100
        progress.now = Time(nanoseconds: 2_000_000_000)
        check(load() == .load(number + 2))
    }

    @Test("Loads of new observations need no pause")
    func manyQuickObservations() {
        var progress = LoadProgress()
        for _ in 0..<20 {
            _ = progress.beginObservation()
            check(progress.beginLoading(isNeeded: true) == .load(progress.number))
            _ = progress.end(isWhole: true)
            _ = progress.endObservation()
        }
        _ = progress.beginObservation()
        check(progress.recordInvalidation() == .pause(progress.number, until: .start))
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
