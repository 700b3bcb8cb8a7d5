import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

@Suite(.timeLimit(.minutes(15)))
struct CacheSequenceStatesTests {
    @Test func expensiveStatesAreCollectedOnlyWhenTaken() async {
        let collected = Recorder<Int>()
        let states = CacheSequence<Int>(.newest(1)) { sender in
            for state in 1...3 {
                sender.send(
                    .latest {
                        collected.append(state)
                        return state
                    }
                )
            }
            return Disposable {}
        }
        var iterator = states.makeAsyncIterator()
        #expect(collected.all.isEmpty)
        let received = await iterator.next(1)
        #expect(received == [3])
        #expect(collected.all == [3])
    }

    @Test func slowConsumerOfStatesReceivesTheNewest() async {
        let states = CacheSequence<Int>(.newest(1)) { sender in
            for state in 1...3 { sender.send(.known(state)) }
            return Disposable {}
        }
        var iterator = states.makeAsyncIterator()
        let received = await iterator.next(9)
        #expect(received == [3])
    }
}
