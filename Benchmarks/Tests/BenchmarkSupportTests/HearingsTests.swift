import Testing

@testable import BenchmarkSupport

struct HearingsTests {
    typealias Hearing = Hearings.Hearing

    @Test func momentIsDeliveredByTheFirstCallForItOrALaterOne() {
        let hearings = [
            Hearing(moment: 0, heard: 5), Hearing(moment: 10, heard: 13),
            Hearing(moment: 30, heard: 34), Hearing(moment: 30, heard: 39),
        ]
        #expect(Hearings.delays(of: [10, 20, 30], hearings) == [3, 14, 4])
    }

    @Test func noResultExistsBeforeACallForTheLastMoment() {
        #expect(Hearings.delays(of: [10, 20], [Hearing(moment: 10, heard: 13)]) == nil)
        #expect(Hearings.delays(of: [10], []) == nil)
        #expect(Hearings.delays(of: [], []) == [])
    }

    @Test(.timeLimit(.minutes(1)))
    func hearingsWaitForALateCall() async {
        let delays = await withCheckedContinuation { returned in
            Threads.start {
                let hearings = Hearings()
                Threads.start {
                    for moment in 1...3 {
                        hearings.note(Hearing(moment: moment, heard: moment + 7))
                    }
                }
                returned.resume(returning: hearings.delays(of: [1, 2, 3]))
            }
        }
        #expect(delays == [7, 7, 7])
    }

    @Test func boundIsNotExceededByTheShare() {
        let numbers = (1...100).map(Double.init).reversed()
        #expect(Array(numbers).bound(ofShare: 0.5) == 50)
        #expect(Array(numbers).bound(ofShare: 0.99) == 99)
        #expect([7].bound(ofShare: 0.99) == 7)
        #expect([Double]().bound(ofShare: 0.5).isNaN)
    }
}
