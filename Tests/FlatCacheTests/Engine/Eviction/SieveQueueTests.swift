import Testing

@testable import FlatCache

struct SieveQueueTests {
    @Test func theHandAdvancesFromTheOldestToTheNewestAndWraps() {
        var queue = SieveQueue()
        #expect(queue.advance() == nil)
        for index in 0..<3 { queue.append(Ticket(index: index)) }
        #expect((0..<7).map { _ in queue.advance() } == [0, 1, 2, 0, 1, 2, 0])
    }

    @Test func entryUnderTheHandCanBeRemoved() {
        var queue = SieveQueue()
        for index in 0..<4 { queue.append(Ticket(index: index)) }
        _ = queue.advance()
        queue.remove(1)
        #expect(queue.advance() == 2)
        queue.remove(3)
        #expect(queue.advance() == 0)
        queue.remove(0)
        queue.remove(2)
        #expect(queue.advance() == nil)
        #expect(queue.tickets == [])
    }

    @Test func newEntriesFollowTheNewest() {
        var queue = SieveQueue()
        queue.append(0)
        #expect(queue.advance() == 0)
        queue.append(1)
        queue.append(2)
        // The hand was at the end, so it starts again at the beginning.
        #expect(queue.advance() == 0)
        #expect(queue.advance() == 1)
        queue.append(3)
        #expect((0..<3).map { _ in queue.advance() } == [2, 3, 0])
    }

    @Test(arguments: RandomTestSettings(seeds: 10).seeds)
    func behavesLikeAnArray(seed: Seed) {
        var generator = SplitMix64(seed: seed)
        var queue = SieveQueue()
        var naive: [Ticket] = []
        var hand: Ticket?
        for _ in 0..<2_000 {
            switch generator.next() % 3 {
            case 0:
                let ticket = Ticket(index: generator.below(50))
                if !naive.contains(ticket) {
                    queue.append(ticket)
                    naive.append(ticket)
                }
            case 1:
                guard let ticket = naive.randomElement(using: &generator) else { continue }
                queue.remove(ticket)
                let index = naive.firstIndex(of: ticket) ?? 0
                if hand == ticket { hand = naive.dropFirst(index + 1).first }
                naive.remove(at: index)
            default:
                let expected = hand ?? naive.first
                #expect(queue.advance() == expected)
                let index = naive.firstIndex { $0 == expected }
                hand = index.flatMap { naive.dropFirst($0 + 1).first }
            }
            #expect(queue.tickets == naive)
            let contained = (0..<60).map(Ticket.init(index:)).filter { queue.contains($0) }
            #expect(Set(contained) == Set(naive))
        }
    }
}
