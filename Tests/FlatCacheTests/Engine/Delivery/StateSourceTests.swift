import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

@Suite(.timeLimit(.minutes(15)))
struct StateSourceTests {
    @Test func expensiveStatesAreCollectedOnlyWhenTaken() async {
        let collected = Recorder<Int>()
        let stateSource = StateSource<Int> { _, receive in
            for state in 1...3 {
                receive(
                    .latest {
                        collected.append(state)
                        return state
                    }
                )
            }
            return Disposable {}
        }
        var iterator = stateSource.sequence.makeAsyncIterator()
        #expect(collected.all.isEmpty)
        let states = await iterator.next(1)
        #expect(states == [3])
        #expect(collected.all == [3])
    }

    @Test func slowConsumerOfStatesReceivesTheNewest() async {
        let stateSource = StateSource<Int> { _, receive in
            for state in 1...3 { receive(.known(state)) }
            return Disposable {}
        }
        var iterator = stateSource.sequence.makeAsyncIterator()
        let states = await iterator.next(9)
        #expect(states == [3])
    }
}
