import Testing

@testable import BenchmarkSupport

struct TraceTests {
    @Test func traceIsTheSameEachTimeAndAnotherOneWithAnotherSeed() {
        let trace = Trace.zipf(requests: 1_000, ids: 100, exponent: 0.9)
        #expect(trace == .zipf(requests: 1_000, ids: 100, exponent: 0.9))
        #expect(trace != .zipf(requests: 1_000, ids: 100, exponent: 0.9, seed: 2))
        #expect(trace.requests.allSatisfy { (0..<100).contains($0) })
    }

    @Test(arguments: [0.0, 0.9, 2.0])
    func eachNumberIsAsFrequentAsItsRankSays(exponent: Double) {
        let distribution = ZipfDistribution(count: 4, exponent: exponent)
        var random = SeededGenerator(seed: 3)
        var counts = [0, 0, 0, 0]
        for _ in 0..<100_000 { counts[distribution.next(using: &random)] += 1 }
        let weights: [Double] =
            switch exponent {
            case 0: [1, 1, 1, 1]
            case 2: [1, 1 / 4, 1 / 9, 1 / 16]
            default: [1, 0.5359, 0.3720, 0.2872]
            }
        let sum = weights.reduce(0, +)
        for (count, weight) in zip(counts, weights) {
            #expect(abs(Double(count) / 100_000 - weight / sum) < 0.01)
        }
    }

    @Test func scanIsOfIdentifiersThatComeOnlyOnce() {
        let trace = Trace([3, 1, 3, 0, 1]).interrupted(every: 2, byScansOf: 3)
        #expect(trace.requests == [3, 1, 4, 5, 6, 3, 0, 7, 8, 9, 1])
    }

    @Test func missesAreTheRequestsThatAreNotAnswered() {
        #expect(Trace([1, 2, 1, 3]).misses { $0 == 1 } == 2)
        #expect(Trace([]).misses { _ in false } == 0)
    }
}
