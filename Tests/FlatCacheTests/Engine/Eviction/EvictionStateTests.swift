import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct EvictionStateTests {
    func entry(_ slot: Int) -> EntryID { EntryID(segment: 3, slot: slot) }

    func state(
        limit: Int = .max,
        costs: Bool = false,
        _ expiration: Lifetime = .never,
        staleAfter staleness: Lifetime = .never
    ) -> EvictionState {
        let rules = LifetimeRules(staleness: staleness, expiration: expiration)
        return EvictionState(
            limit: limit,
            hasUniformCosts: !costs,
            rules: rules,
            isTimed: rules.isTimed,
            at: 0
        )
    }

    /// Stores values in some entries, as one commit.
    func store(
        _ slots: [Int],
        cost: Int = 1,
        at now: Time = 0,
        in state: inout EvictionState
    ) {
        for slot in slots {
            _ = state.recordStored(entry(slot), cost: cost, at: now, expiringAt: nil)
        }
        state.enqueueArrivals()
        state.checkInvariants()
    }

    /// Evicts the entries of a search that haven't been read.
    private func evict(
        _ sweep: EvictionSweep,
        read: inout Set<Int>,
        from state: inout EvictionState
    ) -> [Int] {
        var sweep = sweep
        var evicted: [Int] = []
        while let candidate = state.nextCandidate(of: &sweep) {
            let slot = Int(candidate.slot)
            if sweep.passesOver(wasRead: read.remove(slot) != nil) { continue }
            state.forget(candidate)
            sweep.recordEviction()
            evicted.append(slot)
        }
        return evicted
    }

    private func evict(_ sweep: EvictionSweep, from state: inout EvictionState) -> [Int] {
        var read: Set<Int> = []
        return evict(sweep, read: &read, from: &state)
    }

    func due(at now: Time, in state: inout EvictionState) -> [Int] {
        var visits = 1_000
        var due: [Int] = []
        while let entry = state.nextDue(at: now, visits: &visits) {
            due.append(Int(entry.slot))
            state.forget(entry)
        }
        return due
    }

    func marked(_ tick: Int = 0, since stored: Time = 0) -> MarkedTimes {
        MarkedTimes(tick: tick, stored: stored)
    }

    // MARK: Costs

    @Test func totalIsTheSumOfTheLatestCosts() {
        var state = state(limit: 10, costs: true)
        #expect(state.recordStored(entry(1), cost: 4, at: 0, expiringAt: nil) == true)
        #expect(state.recordStored(entry(2), cost: 6, at: 0, expiringAt: nil) == true)
        #expect(!state.exceedsLimit)
        #expect(state.recordStored(entry(1), cost: 5, at: 0, expiringAt: nil) == false)
        #expect(state.totalCost == 11 && state.exceedsLimit && state.count == 2)
        #expect(state.cost(of: entry(1)) == 5 && state.cost(of: entry(3)) == 0)
        state.forget(entry(1))
        state.forget(entry(1))
        #expect(state.totalCost == 6 && state.count == 1)
        #expect(!state.contains(entry(1)) && state.contains(entry(2)))
    }

    @Test func totalDoesNotOverflow() {
        var state = state(limit: .max, costs: true)
        store([1, 2, 3], cost: .max, in: &state)
        #expect(state.exceedsLimit)
        #expect(state.totalCost == 3 * Int128(Int.max))
    }

    // MARK: Eviction

    @Test func oldestUnreadEntriesAreEvicted() {
        var state = state(limit: 3)
        store([0, 1, 2, 3, 4], in: &state)
        var read: Set = [0, 2]
        #expect(evict(state.sweep(afterStoring: 1), read: &read, from: &state) == [1, 3])
        #expect(read == [])
        state.checkInvariants()
        store([5], in: &state)
        // The hand continues at the position where it stopped.
        #expect(evict(state.sweep(afterStoring: 1), from: &state) == [4])
    }

    @Test func readEntryIsEvictedIfAllHaveBeenRead() {
        var state = state(limit: 1)
        store([0, 1], in: &state)
        var read: Set = [0, 1]
        #expect(evict(state.sweep(afterStoring: 1), read: &read, from: &state) == [0])
    }

    @Test func searchVisitsALimitedNumberOfEntries() {
        for costs in [false, true] {
            var state = state(limit: 0, costs: costs)
            store(Array(0..<5_000), in: &state)
            var sweep = state.sweep(afterStoring: 2)
            var visits = 0
            while state.nextCandidate(of: &sweep) != nil { visits += 1 }
            #expect(visits == 65 * 3 + (costs ? 1_024 : 0))
        }
    }

    @Test func searchEndsIfNoEntryIsLeft() {
        var state = state(limit: 0)
        var sweep = EvictionSweep(trimming: 5, visits: 5)
        #expect(state.nextCandidate(of: &sweep) == nil)
        #expect(sweep.visitsLeft == 0)
    }

    @Test func onlyAnEntryAboveTheLimitIsTooLarge() {
        var state = state(limit: 5, costs: true)
        store([1], cost: 5, in: &state)
        store([2], cost: 6, in: &state)
        #expect(!state.isTooLarge(entry(1)))
        #expect(state.isTooLarge(entry(2)))
    }

    @Test func storedEntriesAreSearchedIfTheyAloneExceedTheLimit() throws {
        var state = state(limit: 10, costs: true)
        store([1, 2], cost: 6, in: &state)
        #expect(state.sweep(including: [entry(1)], afterStoring: 1) == nil)
        // The cost exceeds the limit by two of six units, so one entry is evicted.
        let sweep = try #require(
            state.sweep(including: [entry(1), entry(2), entry(9)], afterStoring: 2)
        )
        #expect(sweep.targetCost == 10)
        #expect(evict(sweep, from: &state) == [1])
        #expect(state.sweep(including: [entry(2)], afterStoring: 1) == nil)
    }

    @Test func otherEntriesThatAreInUseDoNotAddToTheExcess() throws {
        var state = state(limit: 10, costs: true)
        store([1], cost: 20, in: &state)
        store([2, 3], cost: 6, in: &state)
        let sweep = try #require(state.sweep(including: [entry(2), entry(3)], afterStoring: 2))
        #expect(sweep.targetCost == 30)
    }

    @Test func arrivalsAreVisitedAfterTheyAreEnqueued() {
        var state = state(limit: 0)
        _ = state.recordStored(entry(1), cost: 1, at: 0, expiringAt: nil)
        #expect(evict(state.sweep(afterStoring: 1), from: &state) == [])
        state.enqueueArrivals()
        #expect(evict(state.sweep(afterStoring: 1), from: &state) == [1])
    }

    @Test("An arrival whose ticket passes to another arrival is queued once")
    func reusedTicket() {
        var state = state(limit: 0)
        _ = state.recordStored(entry(1), cost: 1, at: 0, expiringAt: nil)
        state.forget(entry(1))
        _ = state.recordStored(entry(2), cost: 1, at: 0, expiringAt: nil)
        state.enqueueArrivals()
        state.checkInvariants()
        #expect(evict(state.sweep(afterStoring: 1), from: &state) == [2])
    }

    // MARK: Moving

    @Test func movedEntriesKeepTheirOrderAndDeadlines() {
        var state = state(limit: 0, .afterWrite(10))
        store([1, 2, 3], in: &state)
        store([4], cost: 7, at: 4, in: &state)
        _ = state.expire(entry(2), isInUse: true, marked: marked(), at: 10)
        for slot in 1...4 { state.move(entry(slot), to: entry(slot + 100)) }
        #expect(state.isExpired(entry(102)) && !state.contains(entry(2)))
        #expect(state.cost(of: entry(104)) == 7)
        state.checkInvariants()
        #expect(due(at: 13, in: &state) == [101, 103])
        #expect(evict(state.sweep(afterStoring: 1), from: &state) == [102, 104])
    }

    @Test func ticketsOfForgottenEntriesAreUsedByOthers() {
        var state = state(limit: 0, .afterWrite(10))
        store(Array(0..<1_000), in: &state)
        state.keepExpired(entry(995))
        for slot in 0..<990 { state.forget(entry(slot)) }
        state.checkInvariants()
        #expect(state.entries.count == 10)
        #expect(state.isExpired(entry(995)) && state.deadlines.expiredCount == 1)
        let due = due(at: 10, in: &state).sorted()
        #expect(due == [990, 991, 992, 993, 994, 996, 997, 998, 999])
        #expect(evict(state.sweep(afterStoring: 1), from: &state) == [995])
        #expect(state.entries.isEmpty)
    }
}
