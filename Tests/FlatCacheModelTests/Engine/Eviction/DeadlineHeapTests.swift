import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct DeadlineHeapTests {
    @Test func earliestDeadlineIsDueFirst() {
        var heap = DeadlineHeap()
        #expect(heap.earliestTime == nil)
        #expect(heap.next(at: .max) == .nothing)
        for _ in 0..<3 { heap.append() }
        heap.set(30, of: 0)
        heap.set(10, of: 1)
        heap.set(20, of: 2)
        #expect(heap.earliestTime == 10)
        #expect(heap.next(at: 9) == .nothing)
        #expect(heap.next(at: 10) == .due(1))
        heap.remove(1)
        #expect(heap.next(at: 25) == .due(2))
    }

    @Test func postponedDeadlineIsFoundAtItsOldTimeAndMoved() {
        var heap = DeadlineHeap()
        for _ in 0..<2 { heap.append() }
        heap.set(10, of: 0)
        heap.set(20, of: 1)
        heap.set(40, of: 0)
        #expect(heap.earliestTime == 10)
        #expect(heap.next(at: 15) == .putOff)
        #expect(heap.earliestTime == 20)
        #expect(heap.deadline(of: 0) == 40)
        #expect(heap.next(at: 30) == .due(1))
    }

    @Test func earlierDeadlineIsFoundAtOnce() {
        var heap = DeadlineHeap()
        for index in 0..<10 {
            heap.append()
            heap.set(Time(nanoseconds: 100 + Int64(index)), of: Ticket(index: index))
        }
        heap.set(5, of: 9)
        #expect(heap.next(at: 5) == .due(9))
    }

    @Test(arguments: RandomTestSettings(seeds: 10).seeds)
    func behavesLikeADictionary(seed: Seed) {
        var generator = SplitMix64(seed: seed)
        var heap = DeadlineHeap()
        var naive: [Ticket: Time] = [:]
        var count = 40
        for _ in 0..<count { heap.append() }
        var now: Time = 0
        for _ in 0..<3_000 {
            let ticket = Ticket(index: generator.below(count))
            switch generator.next() % 5 {
            case 0, 1:
                let time = now.advanced(by: Int64(generator.below(100)))
                heap.set(time, of: ticket)
                naive[ticket] = time
            case 2:
                heap.remove(ticket)
                naive[ticket] = nil
            case 3:
                let last = Ticket(index: count - 1)
                if count > 1, generator.next().isMultiple(of: 2) {
                    heap.discard(ticket)
                    let moved = naive.removeValue(forKey: last)
                    if ticket != last { naive[ticket] = moved }
                    count -= 1
                } else {
                    heap.append()
                    count += 1
                }
            default:
                now = now.advanced(by: Int64(generator.below(30)))
                var due: Set<Ticket> = []
                while true {
                    let found = heap.next(at: now)
                    if case .due(let ticket) = found {
                        due.insert(ticket)
                        heap.remove(ticket)
                    }
                    if found == .nothing { break }
                }
                #expect(due == Set(naive.filter { $0.value <= now }.keys))
                naive = naive.filter { $0.value > now }
            }
            #expect(heap.isInOrder)
            for index in 0..<count {
                let ticket = Ticket(index: index)
                #expect(heap.deadline(of: ticket) == naive[ticket])
            }
        }
    }
}
