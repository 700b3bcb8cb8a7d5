import Testing

@testable import BenchmarkSupport

struct SummaryTests {
    @Test func medianOfAnOddNumberIsTheOneInTheMiddle() {
        #expect(Summary([9, 1, 4])?.median == 4)
    }

    @Test func medianOfAnEvenNumberIsBetweenTheTwoInTheMiddle() {
        #expect(Summary([8, 1, 2, 100])?.median == 5)
    }

    @Test func extremesAreThoseOfAllMeasurements() {
        let summary = Summary([5, 3, 8])
        #expect(summary?.minimum == 3)
        #expect(summary?.maximum == 8)
    }

    @Test func emptySampleHasNoSummary() {
        #expect(Summary([Double]()) == nil)
    }
}
