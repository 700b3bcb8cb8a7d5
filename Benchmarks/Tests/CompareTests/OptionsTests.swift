import BenchmarkSupport
import Testing

@testable import Compare

struct OptionsTests {
    @Test func withoutArgumentsEveryRowHasNineRounds() throws {
        let options = try Options([])
        #expect(options.rows.count > 15)
        #expect(options.rounds == 9)
        #expect(!options.isQuick && !options.mustMeetTargets && !options.isRaw)
    }

    @Test func numberStandsForAllOfItsLetters() throws {
        #expect(try Options(["--rows", "2,7b"]).rows.map(\.name) == ["2a", "2b", "7b"])
    }

    @Test func soakTakesThePlaceOfRows() throws {
        #expect(try Options(["--soak", "--check"]).isSoak)
        #expect(try !Options([]).isSoak)
    }

    @Test(arguments: [(["--quick"], 3), (["--rounds", "5", "--quick"], 5)])
    func quickRunHasThreeRoundsUnlessToldOtherwise(
        arguments: [String],
        rounds: Int
    ) throws {
        #expect(try Options(arguments).rounds == rounds)
    }

    @Test(arguments: [
        ["--rows"], ["--rows", "99"], ["--rounds", "0"], ["--rounds", "many"], ["--fast"],
    ])
    func invalidArgumentsAreRefused(arguments: [String]) {
        #expect(throws: Options.Problem.self) { try Options(arguments) }
    }
}
