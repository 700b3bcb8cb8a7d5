import Dispatch
import Testing

@testable import BenchmarkSupport

struct MeasuringTests {
    @Test func percentilesAreRightToWithinABucket() {
        var histogram = LatencyHistogram()
        for nanoseconds in UInt64(1)...100_000 { histogram.record(nanoseconds) }
        #expect(histogram.count == 100_000)
        #expect(histogram.maximum == 100_000)
        for (share, exact) in [(0.5, 50_000.0), (0.99, 99_000), (0.999, 99_900)] {
            let percentile = Double(histogram.percentile(share))
            #expect(percentile >= exact && percentile <= exact * 1.016)
        }
    }

    @Test func histogramTakesEveryTime() {
        var histogram = LatencyHistogram()
        for nanoseconds: UInt64 in [0, 63, 64, 127, 128, .max] { histogram.record(nanoseconds) }
        #expect(histogram.percentile(0) == 0)
        #expect(histogram.percentile(0.5) == 64)
        #expect(histogram.percentile(1) == .max)
    }

    @Test func histogramAddsTheOperationsOfAnother() {
        var histogram = LatencyHistogram()
        var other = LatencyHistogram()
        histogram.record(10)
        for _ in 0..<3 { other.record(40) }
        histogram.add(other)
        #expect(histogram.count == 4)
        #expect(histogram.maximum == 40)
        #expect(histogram.percentile(0.25) == 10)
        #expect(histogram.percentile(0.26) == 40)
    }

    @Test func worstCaseIsTheOperationThatComputesLongest() {
        var worst = WorstCase()
        for loops in [1, 1_000_000, 1] {
            worst.measure { for number in 0..<loops { blackHole(number) } }
        }
        #expect(worst.times.count == 3)
        #expect(worst.longest > 0)
        #expect(worst.longest <= worst.times.maximum)
    }

    @Test func operationsAreMeasuredUntilTheWorkOfAnotherThreadEnds() {
        let tally = Tally()
        let signal = DispatchSemaphore(value: 0)
        let times = Threads.times(for: [1, 2]) { number in
            tally.add()
            if tally.count == 3 { signal.signal() }
            #expect(number == (tally.count.isMultiple(of: 2) ? 2 : 1))
        } during: {
            signal.wait()
        }
        #expect(times.count == tally.count)
        #expect(times.count >= 3)
    }

    @Test func orderHasEveryElementAsOftenAsAnyOtherAndIsTheSameEachTime() {
        var first = SeededGenerator(seed: 7)
        var second = SeededGenerator(seed: 7)
        let order = first.order(of: 0..<10, count: 25)
        #expect(order == second.order(of: 0..<10, count: 25))
        #expect(order.count == 25)
        #expect(order.prefix(10).sorted() == Array(0..<10))
        #expect(order.dropFirst(10).prefix(10).sorted() == Array(0..<10))
    }

    @Test func titlesHave33CharactersAndIdentifiers20() {
        #expect(Texts.title(0) == "Book 000000000000, edition 000000")
        #expect(Texts.title(123_456, edition: 20_000) == "Book 000000123456, edition 020000")
        #expect(Texts.title(0).count == 33)
        #expect(Texts.identifier(99_999) == "book-000000000099999")
        #expect(Texts.identifier(0).count == 20)
    }

    @Test func allThreadsRunAndWithTheirOwnNumbers() {
        let tally = Tally()
        let ran = Threads.run(2) { thread in if thread == 1 { tally.add() } }
        tally.check(1)
        #expect(ran > 0)
    }

    @Test func namesOfRowsAreUniqueAndTheirNumbersHaveNoGaps() {
        #expect(Set(Row.all.map(\.name)).count == Row.all.count)
        // Row 33 exists only with the trait GRDB.
        let numbers = Set(Row.all.map(\.number)).union([33])
        #expect(numbers == Set(1...(numbers.max() ?? 1)))
    }
}
