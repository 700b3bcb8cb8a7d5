import Testing
import TestSupport

struct FailureReportTests {
    /// Adds a number, or performs others together.
    private indirect enum Addition: RandomOperation {
        case number(Int)
        case group([Addition])

        var inside: [Addition] { if case .group(let operations) = self { operations } else { [] } }

        var simpler: [Addition] {
            switch self {
            case .number(let number): number > 1 ? [.number(number - 1)] : []
            case .group(let operations): Self.shrunk(operations).map { .group($0) }
            }
        }

        var numbers: [Int] {
            switch self {
            case .number(let number): [number]
            case .group(let operations): operations.flatMap(\.numbers)
            }
        }

        var description: String { "add \(numbers)" }
    }

    /// A sum that is wrong from a limit on.
    private struct Sum: ModelComparison {
        var limit: Int
        var finalLimit = Int.max
        var sum = 0

        mutating func difference(after operation: Addition) -> String? {
            sum += operation.numbers.reduce(0, +)
            return sum >= limit ? "The sum is \(sum)." : nil
        }

        func finalDifference() -> String? { sum >= finalLimit ? "The last sum is \(sum)." : nil }
    }

    private let operations: [Addition] = [
        .number(1), .group([.number(3), .group([.number(9), .number(1)])]), .number(40),
    ]

    @Test func equalRunHasNoReport() {
        #expect(FailureReport(seed: 17, operations: operations) { Sum(limit: 100) } == nil)
        #expect(FailureReport(seed: 17, problems: []) == nil)
    }

    @Test func reportNamesTheSeedAndTheStepAndTheShrunkOperations() throws {
        let report = FailureReport(seed: 17, operations: operations) { Sum(limit: 8) }
        let text = try #require(report).description
        #expect(
            text == """
                To repeat the failure at step 2, run this test with FLATCACHE_SEED=17.
                The operations that still fail after shrinking:
                add [8]
                The sum is 8.
                """
        )
    }

    @Test func reportCoversTheEndOfARun() throws {
        let report = FailureReport(seed: 17, operations: operations) {
            Sum(limit: 100, finalLimit: 50)
        }
        let text = try #require(report).description
        #expect(text.contains("at step 3"))
        #expect(text.contains("The last sum is 50."))
    }

    @Test func shrinkingEndsAfterANumberOfAttempts() throws {
        let report = FailureReport(seed: 17, operations: operations, attempts: 0) { Sum(limit: 8) }
        let text = try #require(report).description
        #expect(text.contains("add [1]\nadd [3, 9, 1]"))
    }

    @Test func reportListsTheFirstProblems() throws {
        let report = FailureReport(seed: 17, problems: (1...10).map { "problem \($0)" })
        let text = try #require(report).description
        #expect(text.contains("FLATCACHE_SEED=17"))
        #expect(text.contains("10 problems"))
        #expect(text.contains("problem 8"))
        #expect(!text.contains("problem 9"))
    }

    @Test func trapReportNamesTheSeedAndTheOperations() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        {
            TrapReport.during([17]) {
                TrapReport.willPerform("left out")
                TrapReport.restart()
                TrapReport.willPerform("the last operation")
                preconditionFailure("The operation traps.")
            }
        }
        let text = result?.message.text ?? ""
        #expect(text.contains("FLATCACHE_SEED=17"))
        #expect(text.contains("the last operation"))
        #expect(!text.contains("left out"))
    }

    @Test func trapReportNamesTheSeedsThatMayHaveTrappedInAnotherThread() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        {
            TrapReport.during([17, 18]) {
                _ = onThreads(1) { _ in preconditionFailure("The thread traps.") }
            }
        }
        let text = result?.message.text ?? ""
        #expect(text.contains("FLATCACHE_SEED=17 or FLATCACHE_SEED=18"))
    }

    @Test func trapOutsideOfRandomTestsHasNoReport() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        {
            TrapReport.during([17]) {}
            preconditionFailure("The test traps.")
        }
        #expect(result?.message.text.contains("FLATCACHE_SEED") == false)
    }
}
