import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

// Tests the expiration of entries.
extension EvictionStateTests {
    @Test("Times that writes begin to record give no entry a deadline, whenever it was stored")
    func timesWithoutDeadlines() {
        var state = state(limit: 10)
        store([1, 2, 3], in: &state)
        state.beginToRecordTimes()
        #expect(state.isTimed)
        store([2, 4, 5], at: 7, in: &state)
        for slot in [1, 5, 3] {
            state.forget(entry(slot))
            state.checkInvariants()
        }
        #expect(state.nextWakeTime == nil)
        #expect([1, 2, 3, 4, 5].filter { state.contains(entry($0)) } == [2, 4])
    }

    @Test func valuesAreDueByTheRule() {
        var never = state(.never)
        store([1], in: &never)
        #expect(never.nextWakeTime == nil)
        #expect(due(at: .max, in: &never) == [])

        var written = state(.afterWrite(10))
        store([1], at: 5, in: &written)
        store([2], at: 6, in: &written)
        store([1], at: 9, in: &written)
        #expect(written.nextWakeTime == 15)
        #expect(due(at: 18, in: &written) == [2])
        #expect(due(at: 19, in: &written) == [1])

        var dated = state(.atOwnTime)
        _ = dated.recordStored(entry(1), cost: 1, at: 0, expiringAt: 7)
        _ = dated.recordStored(entry(2), cost: 1, at: 0, expiringAt: nil)
        #expect(dated.nextWakeTime == 7)
        #expect(due(at: .max, in: &dated) == [1])
    }

    @Test func nextTickWakesTooIfReadsCount() {
        var state = state(.afterAccess(160))
        #expect(state.nextWakeTime == nil)
        store([1], at: 0, in: &state)
        #expect(state.nextWakeTime == 10)
    }

    @Test func visitsLimitTheSearchForDueEntries() {
        var state = state(.afterWrite(10))
        store([1, 2, 3], in: &state)
        store([1], at: 100, in: &state)
        var visits = 2
        #expect(state.nextDue(at: 10, visits: &visits) != nil)
        var none = 0
        #expect(state.nextDue(at: 10, visits: &none) == nil)
        #expect(visits < 2)
    }

    @Test func dueEntryExpiresOrBecomesStaleOnce() {
        var state = state(.afterWrite(10))
        store([1, 2], in: &state)
        #expect(state.expire(entry(1), isInUse: false, marked: marked(), at: 10) == .expired)
        #expect(!state.hasExpired)
        #expect(state.expire(entry(2), isInUse: true, marked: marked(), at: 10) == .becomesStale)
        #expect(state.isExpired(entry(2)) && state.hasExpired && !state.isExpired(entry(1)))
        let again = state.expire(entry(2), isInUse: true, isStale: true, marked: marked(), at: 11)
        #expect(again == .staysStale)
        #expect(state.expire(entry(2), isInUse: false, marked: marked(), at: 11) == .expired)
        #expect(state.expire(entry(7), isInUse: false, marked: marked(), at: 11) == .postponed)
    }

    @Test func writeMakesAnEntryFresh() {
        var state = state(.afterWrite(10))
        store([1], in: &state)
        _ = state.expire(entry(1), isInUse: true, marked: marked(), at: 10)
        store([1], at: 12, in: &state)
        #expect(!state.hasExpired)
        #expect(state.nextWakeTime == 22)
    }

    @Test func staleEntryExpiresLater() {
        var state = state(.afterWrite(10), staleAfter: .afterWrite(3))
        store([1], in: &state)
        #expect(state.nextWakeTime == 3)
        let marked = MarkedTimes(stored: 0, staleFrom: 3)
        #expect(state.expire(entry(1), isInUse: false, marked: marked, at: 2) == .postponed)
        #expect(state.nextWakeTime == 3)
        #expect(state.expire(entry(1), isInUse: false, marked: marked, at: 3) == .becomesStale)
        #expect(due(at: 9, in: &state) == [])
        #expect(!state.hasExpired)
        let expiry = state.expire(entry(1), isInUse: false, isStale: true, marked: marked, at: 10)
        #expect(expiry == .expired)
    }

    @Test func staleEntryThatIsStoredAgainBecomesStaleAgain() {
        var state = state(.never, staleAfter: .afterWrite(3))
        store([1], in: &state)
        let marked = MarkedTimes(stored: 0, staleFrom: 3)
        #expect(state.expire(entry(1), isInUse: false, marked: marked, at: 3) == .becomesStale)
        #expect(state.nextWakeTime == nil)
        store([1], at: 7, in: &state)
        #expect(state.nextWakeTime == 10)
    }

    @Test func unusedEntryBecomesStaleBeforeItExpires() {
        var state = state(.afterAccess(160), staleAfter: .afterWrite(30))
        store([1], in: &state)
        let record = MarkedTimes(stored: 0, staleFrom: 30).record
        #expect(state.recordUnused(entry(1), record, isStale: false, at: 10) == false)
        #expect(state.deadlines.earliestTime == 30)
        #expect(state.recordUnused(entry(1), record, isStale: true, at: 40) == false)
        #expect(due(at: 199, in: &state) == [])
    }

    @Test func marksPostponeADeadline() {
        var state = state(.afterWrite(10))
        store([1], in: &state)
        let later = marked(since: 5)
        #expect(state.expire(entry(1), isInUse: false, marked: later, at: 14) == .postponed)
        #expect(due(at: 14, in: &state) == [])
        #expect(state.nextWakeTime == 15)
        #expect(state.expire(entry(1), isInUse: false, marked: later, at: 15) == .expired)
        #expect(state.hasRecordedDeadlines)
    }

    @Test func laterOfReadAndWriteCounts() {
        var state = state(.afterAccess(160))
        store([1, 2], in: &state)
        // The first tick ends at 100, and the second is the current one.
        #expect(state.ticks.begin(at: 100) == 1)
        let read = marked(0, since: 20)
        #expect(state.expire(entry(1), isInUse: false, marked: read, at: 259) == .postponed)
        #expect(state.expire(entry(1), isInUse: false, marked: read, at: 260) == .expired)
        let written = marked(0, since: 120)
        #expect(state.expire(entry(2), isInUse: false, marked: written, at: 279) == .postponed)
        #expect(state.expire(entry(2), isInUse: false, marked: written, at: 280) == .expired)
        let current = marked(1, since: 20)
        #expect(state.expire(entry(2), isInUse: false, marked: current, at: 9_999) == .postponed)
    }

    @Test func ownTimesArentPostponedByMarks() {
        var state = state(.atOwnTime)
        _ = state.recordStored(entry(1), cost: 1, at: 0, expiringAt: 7)
        let marked = marked(since: 100)
        #expect(!state.hasRecordedDeadlines)
        #expect(state.expire(entry(1), isInUse: false, marked: marked, at: 7) == .expired)
    }

    @Test func entryInUseCountsAsReadUnlessItIsStale() {
        var state = state(.afterAccess(160))
        store([1], in: &state)
        #expect(state.countsAsRead(entry(1), isInUse: true))
        #expect(!state.countsAsRead(entry(1), isInUse: false))
        state.keepExpired(entry(1))
        #expect(!state.countsAsRead(entry(1), isInUse: true))
        #expect(state.nextWakeTime == nil)
        let written = self.state(.afterWrite(10))
        #expect(!written.countsAsRead(entry(1), isInUse: true))
    }

    @Test func unusedEntryIsDueAtOnceIfStaleAndLaterIfFresh() {
        var state = state(.afterAccess(160))
        store([1, 2], in: &state)
        #expect(state.recordUnused(entry(1), at: 500) == false)
        #expect(due(at: 659, in: &state) == [2])
        #expect(due(at: 660, in: &state) == [1])
        store([3], in: &state)
        state.keepExpired(entry(3))
        #expect(state.recordUnused(entry(3), at: 700) == true)
        #expect(due(at: .min, in: &state) == [3])
        #expect(state.recordUnused(entry(3), at: 700) == false)
    }

    @Test func clockIsReadOnlyForExpiryByAccess() {
        var state = state(.afterWrite(10))
        store([1], in: &state)
        let reads = Recorder<Time>()
        let now: () -> Time = {
            reads.append(0)
            return 0
        }
        _ = state.recordUnused(entry(1), at: now())
        #expect(reads.all == [])
    }
}
