import Testing

@testable import FlatCache

struct NodeIndexTests {
    @Test func anEmptyIndexFindsNothing() {
        #expect(NodeIndex().node(withHash: 1) { _ in true } == nil)
    }

    /// Hashes from few values make long runs of slots, which wrap around.
    @Test(arguments: RandomTestSettings(seeds: 60).seeds)
    func theIndexFindsTheNodesThatADictionaryContains(seed: Seed) {
        var random = SplitMix64(seed: seed)
        let hashCount = random.pick([1, 3, 20, 1_000])
        let keyCount = random.pick([5, 40, 200])
        let hashes = (0..<keyCount).map { _ in
            UInt32.max - UInt32(random.below(hashCount))
        }
        var index = NodeIndex()
        var expected: Set<Int> = []
        for step in 0..<500 {
            let key = random.below(keyCount)
            let node = WatchNodeID(index: Int32(key))
            if expected.remove(key) != nil {
                index.remove(node, hash: hashes[key])
            } else {
                expected.insert(key)
                index.insert(node, hash: hashes[key])
            }
            #expect(index.count == expected.count, "\(seed), step \(step)")
            let found = (0..<keyCount).filter { key in
                index.node(withHash: hashes[key]) { $0.index == Int32(key) } != nil
            }
            #expect(found == expected.sorted(), "\(seed), step \(step)")
        }
    }
}
