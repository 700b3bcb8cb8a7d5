import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct HashIndexTests {
    @Test func emptyIndexFindsNothing() {
        #expect(HashIndex().position(withHash: 1) { _ in true } == nil)
    }

    /// Hashes from few values make long runs of slots, which wrap around, and segments that can't
    /// be divided.
    @Test(arguments: RandomTestSettings(seeds: 60).seeds, [1, 300, 65_536])
    func indexFindsThePositionsThatADictionaryContains(seed: Seed, chunkSize: Int) {
        var random = SplitMix64(seed: seed)
        let hashCount = random.pick([1, 3, 20, 1_000])
        let keyCount = random.pick([5, 40, 200])
        let isSpread = random.next().isMultiple(of: 2)
        let values = (0..<hashCount).map { number in
            isSpread ? UInt32(truncatingIfNeeded: random.next()) : UInt32.max - UInt32(number)
        }
        let hashes = (0..<keyCount).map { _ in random.pick(values) }
        var index = HashIndex(chunkSize: chunkSize)
        var expected: [Int: Int32] = [:]
        for step in 0..<500 {
            let key = random.below(keyCount)
            switch expected[key] {
            case let position? where random.below(4) == 0:
                let other = position ^ 1_024
                index.replace(position, by: other, hash: hashes[key])
                expected[key] = other
            case let position?:
                index.remove(position, hash: hashes[key])
                expected[key] = nil
            case nil:
                index.insert(Int32(key), hash: hashes[key])
                expected[key] = Int32(key)
            }
            index.checkInvariants()
            #expect(index.count == expected.count, "\(seed), step \(step)")
            for key in 0..<keyCount {
                let found = index.position(withHash: hashes[key]) { $0 & 1_023 == Int32(key) }
                // An expectation of its own for each of millions of searches would take minutes in
                // instrumented code.
                if found != expected[key] { Issue.record("\(seed), step \(step), key \(key)") }
            }
        }
    }

    @Test func segmentsAreDividedAndJoined() {
        var index = HashIndex(chunkSize: 1_024)
        let hashes = (0..<10_000).map { UInt32(truncatingIfNeeded: $0 &* 2_654_435_761) }
        for (position, hash) in hashes.enumerated() { index.insert(Int32(position), hash: hash) }
        index.checkInvariants()
        #expect(index.segmentCount > 300)
        #expect(index.largestSlotCount == 32)
        for (position, hash) in hashes.enumerated().dropFirst(100) {
            index.remove(Int32(position), hash: hash)
        }
        index.checkInvariants()
        #expect(index.segmentCount < 100)
        for (position, hash) in hashes.prefix(100).enumerated() {
            #expect(index.position(withHash: hash) { _ in true } == Int32(position))
        }
    }

    @Test func equalHashesShareOneSegmentThatGrows() {
        var index = HashIndex(chunkSize: 1_024)
        for position: Int32 in 0..<1_000 { index.insert(position, hash: 7) }
        index.checkInvariants()
        #expect(index.segmentCount == 1)
        #expect(index.position(withHash: 7) { $0 == 999 } == 999)
    }

    @Test("Hashes that differ in their last bits only don't make the directory large")
    func similarHashes() {
        var index = HashIndex(chunkSize: 1)
        for position: Int32 in 0..<64 { index.insert(position, hash: UInt32(position)) }
        index.checkInvariants()
        #expect(index.directoryCount <= 2_048)
    }
}
