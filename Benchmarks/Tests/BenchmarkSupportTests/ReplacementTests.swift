import Testing

@testable import BenchmarkSupport

/// The evictions of the references that FlatCache is compared with.
struct ReplacementTests {
    // The example of Silberschatz, Galvin and Gagne, "Operating System Concepts", section 10.4.
    private static let textbook = Trace([
        7, 0, 1, 2, 0, 3, 0, 4, 2, 3, 0, 3, 2, 1, 2, 0, 1, 7, 0, 1,
    ])

    @Test func textbookExampleHasTheTextbookMisses() {
        #expect(misses(of: Self.textbook, capacity: 3) == 12)
        #expect(OptimalReplacement.misses(in: Self.textbook, capacity: 3) == 9)
    }

    // By hand: 1, 2 and 3 miss; 3 replaces 2, which is requested later than 1; 2 misses again and
    // replaces 3, which isn't requested again; 1 and 2 hit.
    @Test func traceThatWasReplayedByHandHasTheSameMisses() {
        let trace = Trace([1, 2, 3, 1, 2, 1, 2])
        #expect(OptimalReplacement.misses(in: trace, capacity: 2) == 4)
        #expect(misses(of: trace, capacity: 2) == 5)
    }

    @Test func sufficientCapacityMissesEachEntryOnce() {
        #expect(misses(of: Self.textbook, capacity: 6) == 6)
        #expect(OptimalReplacement.misses(in: Self.textbook, capacity: 6) == 6)
        #expect(OptimalReplacement.misses(in: Trace([]), capacity: 1) == 0)
    }

    @Test(arguments: 1...4)
    func referenceLRUEqualsASortedList(capacity: Int) {
        var reference = LeastRecentlyUsed(capacity: capacity)
        var inOrderOfUse: [Int] = []
        for id in Trace.zipf(requests: 2_000, ids: 8, exponent: 0.5).requests {
            let isKnown = inOrderOfUse.contains(id)
            inOrderOfUse = Array(([id] + inOrderOfUse.filter { $0 != id }).prefix(capacity))
            #expect(reference.request(id) == isKnown)
        }
    }

    @Test(arguments: 1...3)
    func noReplacementChoiceMissesLessThanTheOptimum(capacity: Int) {
        for seed: UInt64 in 1...30 {
            let trace = Trace.zipf(requests: 12, ids: 5, exponent: 0.3, seed: seed)
            let fewest = fewestMisses(trace.requests[...], kept: [], capacity: capacity)
            #expect(OptimalReplacement.misses(in: trace, capacity: capacity) == fewest)
        }
    }

    @Test func optimumMissesNoMoreThanAnyCache() {
        let trace = Trace.zipf(requests: 20_000, ids: 1_000, exponent: 0.9)
        let ratios = MissRatios(of: trace, capacity: 100)
        #expect(ratios.optimum < ratios.flatCache && ratios.optimum < ratios.leastRecentlyUsed)
        #expect(ratios.leastRecentlyUsed == Double(misses(of: trace, capacity: 100)) / 20_000)
    }

    @Test func noteListsHitRatios() {
        let ratios = MissRatios(of: Trace([1, 1, 1, 1]), capacity: 1)
        #expect(ratios.note == "hits: FlatCache 75.0 %, LRU 75.0 %, optimum 75.0 %")
    }

    private func misses(of trace: Trace, capacity: Int) -> Int {
        var reference = LeastRecentlyUsed(capacity: capacity)
        return trace.misses { reference.request($0) }
    }

    /// Returns the fewest misses of all possible evictions.
    private func fewestMisses(_ requests: ArraySlice<Int>, kept: Set<Int>, capacity: Int) -> Int {
        guard let id = requests.first else { return 0 }
        let rest = requests.dropFirst()
        if kept.contains(id) { return fewestMisses(rest, kept: kept, capacity: capacity) }
        if kept.count < capacity {
            return 1 + fewestMisses(rest, kept: kept.union([id]), capacity: capacity)
        }
        let choices = kept.map { kept.subtracting([$0]).union([id]) }
        return 1 + (choices.map { fewestMisses(rest, kept: $0, capacity: capacity) }.min() ?? 0)
    }
}
