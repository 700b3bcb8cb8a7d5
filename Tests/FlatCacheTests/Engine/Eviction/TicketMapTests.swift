import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct TicketMapTests {
    @Test(arguments: RandomTestSettings(seeds: 5).seeds)
    func againstADictionary(seed: Seed) {
        var random = SplitMix64(seed: seed)
        var map = TicketMap()
        var reference: [EntryID: Ticket] = [:]
        for step in 0..<500 {
            let entry = EntryID(segment: UInt32(random.below(5)), slot: random.below(20))
            switch random.below(10) {
            case 0...5:
                map.set(Ticket(index: step), of: entry)
                reference[entry] = Ticket(index: step)
            case 6...8:
                map.remove(entry)
                reference[entry] = nil
            default:
                map.removeSegment(numbered: entry.segment)
                reference = reference.filter { $0.key.segment != entry.segment }
            }
            var found: [EntryID: Ticket] = [:]
            map.forEach { found[$0] = $1 }
            #expect(found == reference, "seed \(seed), step \(step)")
            #expect(map[entry] == reference[entry] ?? .none)
        }
    }
}
