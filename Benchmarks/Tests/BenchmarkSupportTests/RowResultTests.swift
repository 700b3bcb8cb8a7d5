import Testing

@testable import BenchmarkSupport

struct RowResultTests {
    @Test func ratioIsTheMedianOfTheRoundsRatios() throws {
        // The ratio of the medians would be 2 / 10.
        let rounds = [
            Round(baseline: 1, subject: 2), Round(baseline: 10, subject: 30),
            Round(baseline: 20, subject: 1),
        ]
        let result = try #require(RowResult(row(target: nil), rounds: rounds))
        #expect(result.ratio.median == 2)
        #expect(result.baseline.median == 10)
        #expect(result.isMet == nil)
    }

    @Test(arguments: [(2.0, true), (1.9, false)])
    func targetIsMetUpToItsValue(target: Double, isMet: Bool) throws {
        let rounds = [Round(baseline: 1, subject: 2)]
        #expect(try #require(RowResult(row(target: target), rounds: rounds)).isMet == isMet)
    }

    @Test func missIsAcceptedUpToTheKnownRatioOfItsRow() throws {
        let known = try #require(Row.knownMisses["4b"])
        for (name, ratio, isAccepted) in [
            ("4b", known, true), ("4b", known + 0.1, false), ("1", known, false), ("1", 0.5, true),
        ] {
            let rounds = [Round(baseline: 1, subject: ratio)]
            let result = try #require(RowResult(row(name, target: 0.8), rounds: rounds))
            #expect(result.isAccepted == isAccepted, "\(name): \(ratio)")
        }
    }

    @Test func knownMissesAreRows() {
        let names = Set(Row.all.map(\.name))
        #expect(names.isSuperset(of: Row.knownMisses.keys))
    }

    @Test func roundsWithoutAResultDoNotCount() throws {
        let rounds = [Round(baseline: .nan, subject: 1), Round(baseline: 2, subject: 1)]
        #expect(try #require(RowResult(row(target: 1), rounds: rounds)).rounds.count == 1)
        #expect(RowResult(row(target: 1), rounds: [Round(baseline: 1, subject: .nan)]) == nil)
    }

    @Test func everyOtherRoundMeasuresTheSubjectFirstAfterOneThatDoesNotCount() {
        var order = ""
        let contest = Contest {
            order += "b"
            return 2
        } subject: {
            order += "s"
            return 1
        }
        let rounds = contest.rounds(3)
        #expect(rounds == [Round](repeating: Round(baseline: 2, subject: 1), count: 3))
        #expect(order == "bs" + "bs" + "sb" + "bs")
    }

    private func row(_ name: String = "1", target: Double?) -> Row {
        Row(name, "a row", against: "something", target: target) { _ in
            Contest(baseline: { 1 }, subject: { 1 })
        }
    }
}
