import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct ChunkedSetTests {
    @Test(arguments: RandomTestSettings(seeds: 20).seeds, [1, 65_536])
    func setBehavesLikeASet(seed: Seed, chunkSize: Int) {
        var random = SplitMix64(seed: seed)
        var set = ChunkedSet<Int>(chunkSize: chunkSize)
        var expected: Set<Int> = []
        for step in 0..<300 {
            let element = random.below(40)
            if random.below(2) == 0 {
                #expect(set.remove(element) == (expected.remove(element) != nil), "\(seed)")
            } else {
                set.insert(element)
                expected.insert(element)
            }
            #expect(set.contains(element) == expected.contains(element), "\(seed), step \(step)")
            #expect(set.isEmpty == expected.isEmpty, "\(seed), step \(step)")
            let elements = Array(set)
            #expect(elements.count == expected.count, "\(seed), step \(step)")
            #expect(Set(elements) == expected, "\(seed), step \(step)")
        }
    }

    @Test(arguments: [1, 300, 65_536])
    func partsInTurnContainAllElements(chunkSize: Int) {
        var set = ChunkedSet<Int>(chunkSize: chunkSize)
        var cursor = 0
        #expect(set.nextPart(&cursor).isEmpty)
        for element in 0..<40 { set.insert(element) }
        for element in 5..<40 { set.remove(element) }
        var found: Set<Int> = []
        for _ in 0..<5 { found.formUnion(set.nextPart(&cursor)) }
        #expect(found == [0, 1, 2, 3, 4])
    }
}
