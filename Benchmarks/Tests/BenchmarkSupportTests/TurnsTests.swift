import Testing

@testable import BenchmarkSupport

struct TurnsTests {
    @Test func sidesTakeTurnsAndEveryOtherPairBeginsWithTheSubject() {
        var order = ""
        let round = Turns.round(3) {
            order += "b\($0)"
        } subject: {
            order += "s\($0)"
        }
        #expect(order == "b0s0" + "s1b1" + "b2s2")
        #expect(round.baseline > 0 && round.subject > 0)
    }

    @Test(arguments: [0, 2])
    func operationThatFailsLeavesNoResult(failing: Int) {
        let round = Turns.round(3) { _ in
        } subject: { number in
            if number == failing { throw Failure() }
        }
        #expect(round.baseline.isNaN && round.subject.isNaN)
    }

    @Test func contestThatCannotBePreparedHasNoResult() {
        let contest = Contest.ifPossible { throw Failure() }
        #expect(contest.rounds(1).allSatisfy { $0.ratio.isNaN })
    }

    @Test func contestOfTurnsMeasuresBothSidesAtOnce() {
        var calls = 0
        let contest = Contest {
            calls += 1
            return Round(baseline: 2, subject: 3)
        }
        #expect(contest.rounds(3).map(\.ratio) == [1.5, 1.5, 1.5])
        #expect(calls == 4)
        #expect(contest.measureBaseline() == 2)
        #expect(contest.measureSubject() == 3)
    }

    private struct Failure: Error {}
}
