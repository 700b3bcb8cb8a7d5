import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct ChunkedDictionaryTests {
    @Test(arguments: RandomTestSettings(seeds: 60).seeds, [1, 300, 65_536])
    func dictionaryBehavesLikeADictionary(seed: Seed, chunkSize: Int) {
        var random = SplitMix64(seed: seed)
        let keyCount = random.pick([3, 30, 300])
        var dictionary = ChunkedDictionary<String, Int>(chunkSize: chunkSize)
        var expected: [String: Int] = [:]
        for step in 0..<400 {
            let key = "the key \(random.below(keyCount))"
            switch random.below(4) {
            case 0:
                #expect(
                    dictionary.removeValue(forKey: key) == expected.removeValue(forKey: key),
                    "\(seed), step \(step)"
                )
            case 1:
                dictionary[key] = nil
                expected[key] = nil
            case 2:
                let former = expected.updateValue(step, forKey: key)
                #expect(
                    dictionary.updateValue(step, forKey: key) == former,
                    "\(seed), step \(step)"
                )
            default:
                dictionary[key] = step
                expected[key] = step
            }
            let elements = dictionary.map { ($0.key, $0.value) }
            #expect(Dictionary(uniqueKeysWithValues: elements) == expected, "\(seed), step \(step)")
            #expect(dictionary.count == expected.count, "\(seed), step \(step)")
            #expect(dictionary.isEmpty == expected.isEmpty, "\(seed), step \(step)")
            let key2 = "the key \(random.below(keyCount))"
            #expect(dictionary[key2] == expected[key2], "\(seed), step \(step)")
        }
        var cursor = random.below(10)
        // Each call examines at least 14 of at most 300 elements.
        for _ in 0..<(300 / 14 + 2) {
            dictionary.removeSome(of: 14, from: &cursor) { $0.isMultiple(of: 3) }
        }
        expected = expected.filter { !$0.value.isMultiple(of: 3) }
        #expect(dictionary.count == expected.count, "\(seed)")
        for number in 0..<keyCount {
            #expect(dictionary["the key \(number)"] == expected["the key \(number)"], "\(seed)")
        }
    }
}
