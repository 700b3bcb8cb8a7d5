import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct SieveQueueTests {
    /// Creates a queue of entries with the tickets from zero on.
    private func queue(count: Int) -> SieveQueue {
        var queue = SieveQueue()
        for _ in 0..<count { queue.append() }
        queue.enqueueArrivals()
        return queue
    }

    @Test func handAdvancesFromTheOldestToTheNewestAndWraps() {
        var queue = SieveQueue()
        #expect(queue.advance() == nil)
        for _ in 0..<3 { queue.append() }
        #expect(queue.advance() == nil)
        queue.enqueueArrivals()
        #expect((0..<7).map { _ in queue.advance() } == [0, 1, 2, 0, 1, 2, 0])
    }

    @Test func entryUnderTheHandCanBeRemoved() {
        var queue = queue(count: 4)
        _ = queue.advance()
        // The newest entry takes over the ticket.
        queue.remove(1)
        #expect(queue.tickets == [0, 2, 1])
        #expect(queue.advance() == 2)
        queue.remove(1)
        #expect(queue.advance() == 0)
        queue.remove(0)
        queue.remove(0)
        #expect(queue.advance() == nil)
        #expect(queue.tickets == [])
    }

    @Test func newEntriesFollowTheNewest() {
        var queue = queue(count: 1)
        #expect(queue.advance() == 0)
        queue.append()
        queue.append()
        queue.enqueueArrivals()
        // The hand was at the end, so it starts again at the beginning.
        #expect(queue.advance() == 0)
        #expect(queue.advance() == 1)
        queue.append()
        queue.enqueueArrivals()
        #expect((0..<3).map { _ in queue.advance() } == [2, 3, 0])
    }

    @Test(arguments: RandomTestSettings(seeds: 20).seeds)
    func behavesLikeAnArray(seed: Seed) {
        var generator = SplitMix64(seed: seed)
        var queue = SieveQueue()
        var naive: [Ticket] = []
        var arrivals: [Ticket] = []
        var hand: Ticket?
        for step in 0..<2_000 {
            switch generator.next() % 5 {
            case 0, 1:
                if queue.count < 30 {
                    arrivals.append(Ticket(index: queue.count))
                    queue.append()
                }
            case 2:
                guard let ticket = (naive + arrivals).randomElement(using: &generator) else {
                    continue
                }
                let last = Ticket(index: queue.count - 1)
                queue.remove(ticket)
                if hand == ticket {
                    let index = naive.firstIndex(of: ticket) ?? 0
                    hand = naive.dropFirst(index + 1).first
                }
                naive.removeAll { $0 == ticket }
                arrivals.removeAll { $0 == ticket }
                naive = naive.map { $0 == last ? ticket : $0 }
                arrivals = arrivals.map { $0 == last ? ticket : $0 }
                if hand == last { hand = ticket }
            case 3:
                queue.enqueueArrivals()
                naive += arrivals
                arrivals = []
            default:
                let expected = hand ?? naive.first
                #expect(queue.advance() == expected, "\(seed), step \(step)")
                let index = naive.firstIndex { $0 == expected }
                hand = index.flatMap { naive.dropFirst($0 + 1).first }
            }
            #expect(queue.tickets == naive, "\(seed), step \(step)")
            #expect(queue.arrivingTickets == arrivals, "\(seed), step \(step)")
            #expect(queue.hasArrivals == !arrivals.isEmpty, "\(seed), step \(step)")
        }
    }
}
