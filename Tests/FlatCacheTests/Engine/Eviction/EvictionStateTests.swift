import Testing

@testable import FlatCache

struct EvictionStateTests {
    func entry(_ slot: Int) -> EntryID { EntryID(slot: UInt32(slot)) }

    func state(
        limit: Int = .max,
        costs: Bool = false,
        _ expiration: LifetimeRules.Expiration = .never,
        staleAfter staleness: LifetimeRules.Staleness = .never,
        slotCount: Int = 64
    ) -> EvictionState {
        let rules = LifetimeRules(staleness: staleness, expiration: expiration)
        return EvictionState(
            limit: limit,
            hasUniformCosts: !costs,
            rules: rules,
            isTimed: rules.isTimed,
            slotCount: slotCount,
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

    @Test func theTotalIsTheSumOfTheLatestCosts() {
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

    @Test func theTotalDoesNotOverflow() {
        var state = state(limit: .max, costs: true)
        store([1, 2, 3], cost: .max, in: &state)
        #expect(state.exceedsLimit)
        #expect(state.totalCost == 3 * Int128(Int.max))
    }

    // MARK: Eviction

    @Test func theOldestUnreadEntriesAreEvicted() {
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

    @Test func aReadEntryIsEvictedIfAllHaveBeenRead() {
        var state = state(limit: 1)
        store([0, 1], in: &state)
        var read: Set = [0, 1]
        #expect(evict(state.sweep(afterStoring: 1), read: &read, from: &state) == [0])
    }

    @Test func aSearchVisitsALimitedNumberOfEntries() {
        for costs in [false, true] {
            var state = state(limit: 0, costs: costs, slotCount: 5_000)
            store(Array(0..<5_000), in: &state)
            var sweep = state.sweep(afterStoring: 2)
            var visits = 0
            while state.nextCandidate(of: &sweep) != nil { visits += 1 }
            #expect(visits == 65 * 3 + (costs ? 1_024 : 0))
        }
    }

    @Test func aSearchEndsIfNoEntryIsLeft() {
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
        state.moveEntries(slotCount: 128) { EntryID(slot: $0.slot + 100) }
        #expect(state.isExpired(entry(102)) && !state.contains(entry(2)))
        #expect(state.cost(of: entry(104)) == 7)
        state.checkInvariants()
        #expect(due(at: 13, in: &state) == [101, 103])
        #expect(evict(state.sweep(afterStoring: 1), from: &state) == [102, 104])
    }

    @Test func movingFreesTheMemoryOfForgottenEntries() {
        var state = state(limit: 0, .afterWrite(10), slotCount: 1_000)
        store(Array(0..<1_000), in: &state)
        for slot in 0..<990 { state.forget(entry(slot)) }
        state.keepExpired(entry(995))
        #expect(state.capacity == 1_000)
        state.moveEntries(slotCount: 20) { EntryID(slot: $0.slot - 990) }
        #expect(state.capacity == 10)
        state.checkInvariants()
        #expect(state.isExpired(entry(5)) && state.expired.count == 1)
        #expect(due(at: 10, in: &state).sorted() == [0, 1, 2, 3, 4, 6, 7, 8, 9])
        store([6], in: &state)
        #expect(state.capacity == 10)
        #expect(evict(state.sweep(afterStoring: 1), from: &state) == [5, 6])
    }
}
