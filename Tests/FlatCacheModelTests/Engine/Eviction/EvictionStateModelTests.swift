import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Random operations on an eviction state and on a naive reference: an array in the order of
/// arrival.
struct EvictionStateModelTests {
    private struct Item {
        var slot: Int
        var cost: Int
        var deadline: Time?
        var staleTime: Time?
        var isStale = false
        var isExpired = false

        /// The time at which the item is due next.
        var nextTime: Time? {
            [deadline, isStale ? nil : staleTime].compactMap { $0 }.min()
        }
    }

    private struct Reference {
        var items: [Item] = []
        /// The number of the last items that aren't queued yet.
        var arrivalCount = 0
        /// The slot of the entry that the hand visits next.
        var hand: Int?

        private var queued: ArraySlice<Item> { items.dropLast(arrivalCount) }

        func index(of slot: Int) -> Int? { items.firstIndex { $0.slot == slot } }

        mutating func remove(_ slot: Int) {
            guard let index = index(of: slot) else { return }
            if hand == slot { hand = queued.dropFirst(index + 1).first?.slot }
            if index >= queued.endIndex { arrivalCount -= 1 }
            items.remove(at: index)
        }

        mutating func advance() -> Int? {
            guard let index = hand.flatMap({ index(of: $0) }) ?? queued.indices.first else {
                return nil
            }
            hand = queued.dropFirst(index + 1).first?.slot
            return items[index].slot
        }

        var total: Int { items.reduce(0) { $0 + $1.cost } }
    }

    @Test(arguments: RandomTestSettings(seeds: 24).seeds)
    func againstAnArray(seed: Seed) {
        var random = SplitMix64(seed: seed)
        let limit = random.below(60)
        let slotCount = 40
        var state = EvictionState(
            limit: limit,
            hasUniformCosts: false,
            rules: LifetimeRules(staleness: .atOwnTime, expiration: .atOwnTime),
            isTimed: true,
            at: 0
        )
        var reference = Reference()
        var now: Time = 0
        for step in 0..<600 {
            let slot = random.below(slotCount)
            let entry = EntryID(segment: UInt32(slot % 3), slot: slot)
            switch random.below(8) {
            case 0...2:
                let cost = random.below(10)
                let deadline = random.oneIn(4) ? nil : now.advanced(by: Int64(random.below(50)))
                let stale = random.oneIn(2) ? nil : now.advanced(by: Int64(random.below(50)))
                let isNew = state.recordStored(
                    entry,
                    cost: cost,
                    at: now,
                    staleAt: stale,
                    expiringAt: deadline
                )
                let item = Item(slot: slot, cost: cost, deadline: deadline, staleTime: stale)
                if let index = reference.index(of: slot) {
                    #expect(!isNew, "seed \(seed), step \(step)")
                    reference.items[index] = item
                } else {
                    #expect(isNew, "seed \(seed), step \(step)")
                    reference.items.append(item)
                    reference.arrivalCount += 1
                }
                if random.oneIn(2) {
                    state.enqueueArrivals()
                    reference.arrivalCount = 0
                }
            case 3:
                state.forget(entry)
                reference.remove(slot)
            case 4:
                var sweep = state.sweep(afterStoring: 1)
                while let candidate = state.nextCandidate(of: &sweep) {
                    #expect(reference.total > limit, "seed \(seed), step \(step)")
                    #expect(Int(candidate.slot) == reference.advance())
                    if random.oneIn(3) { continue }
                    state.forget(candidate)
                    reference.remove(Int(candidate.slot))
                    sweep.recordEviction()
                }
                #expect(reference.total <= limit || sweep.visitsLeft == 0)
            case 5:
                now = now.advanced(by: Int64(random.below(20)))
                expire(at: now, &state, &reference, &random, "seed \(seed), step \(step)")
            case 6:
                let isDue = state.recordUnused(entry, at: now)
                let index = reference.index(of: slot)
                #expect(isDue == index.map { reference.items[$0].isExpired } ?? false)
                if isDue, let index { reference.items[index].deadline = .min }
            default:
                // Moves an entry to a free slot.
                let newSlot = random.below(slotCount)
                guard let index = reference.index(of: slot), reference.index(of: newSlot) == nil
                else { continue }
                state.move(entry, to: EntryID(segment: UInt32(newSlot % 3), slot: newSlot))
                reference.items[index].slot = newSlot
                if reference.hand == slot { reference.hand = newSlot }
            }
            if reference.arrivalCount == 0 { state.checkInvariants() }
            compare(state, reference, slotCount, "seed \(seed), step \(step)")
        }
    }

    /// Expires the due entries, of which some are in use and become stale.
    private func expire(
        at now: Time,
        _ state: inout EvictionState,
        _ reference: inout Reference,
        _ random: inout SplitMix64,
        _ place: Comment
    ) {
        var visits = 10_000
        while let entry = state.nextDue(at: now, visits: &visits) {
            let slot = Int(entry.slot)
            let isInUse = random.oneIn(2)
            guard let index = reference.index(of: slot), let due = reference.items[index].nextTime,
                due <= now
            else {
                Issue.record("No such entry is due: \(place)")
                return
            }
            let item = reference.items[index]
            let times = [item.staleTime, item.deadline].compactMap { $0 }
            let expiry = state.expire(
                entry,
                isInUse: isInUse,
                isStale: item.isStale,
                marked: MarkedTimes(stored: now, staleFrom: times.min() ?? .max),
                at: now
            )
            if item.deadline.map({ $0 > now }) ?? true {
                #expect(expiry == .becomesStale, place)
                reference.items[index].isStale = true
            } else if isInUse {
                #expect(expiry == (item.isStale ? .staysStale : .becomesStale), place)
                reference.items[index].isStale = true
                reference.items[index].isExpired = true
                reference.items[index].deadline = nil
            } else {
                #expect(expiry == .expired)
                state.forget(entry)
                reference.remove(slot)
            }
        }
        #expect(!reference.items.contains { $0.nextTime.map { $0 <= now } ?? false }, place)
    }

    private func compare(
        _ state: EvictionState,
        _ reference: Reference,
        _ slotCount: Int,
        _ place: Comment
    ) {
        #expect(state.totalCost == Int128(reference.total), place)
        #expect(state.count == reference.items.count, place)
        let order = (state.queue.tickets + state.queue.arrivingTickets).map {
            Int(state.entries[$0.index].slot)
        }
        #expect(order == reference.items.map(\.slot), place)
        #expect(state.queue.arrivingTickets.count == reference.arrivalCount, place)
        for slot in 0..<slotCount {
            let item = reference.index(of: slot).map { reference.items[$0] }
            let entry = EntryID(segment: UInt32(slot % 3), slot: slot)
            #expect(state.contains(entry) == (item != nil), place)
            #expect(state.cost(of: entry) == item?.cost ?? 0, place)
            #expect(state.isExpired(entry) == item?.isExpired ?? false, place)
        }
        let earliest = reference.items.compactMap(\.nextTime).min()
        #expect((state.nextWakeTime == nil) == (earliest == nil), place)
        if let earliest, let time = state.nextWakeTime { #expect(time <= earliest, place) }
    }
}
