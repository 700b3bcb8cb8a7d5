import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct TicketSetTests {
    @Test(arguments: RandomTestSettings(seeds: 20).seeds)
    func setBehavesLikeASet(seed: Seed) {
        var random = SplitMix64(seed: seed)
        var set = TicketSet()
        var expected: Set<Ticket> = []
        for step in 0..<500 {
            let ticket = Ticket(index: random.below(300))
            if random.below(3) == 0 {
                set.remove(ticket)
                expected.remove(ticket)
            } else {
                set.insert(ticket)
                expected.insert(ticket)
            }
            #expect(set.count == expected.count, "\(seed), step \(step)")
            #expect(set.isEmpty == expected.isEmpty, "\(seed), step \(step)")
        }
        for index in 0..<400 {
            let ticket = Ticket(index: index)
            #expect(set.contains(ticket) == expected.contains(ticket), "\(seed), \(index)")
        }
    }
}
