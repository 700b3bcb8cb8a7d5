import TestSupport
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct IdentifierHasherTests {
    /// Returns the greatest number of hashes in one of 512 groups, which some bits select.
    private func greatestGroup(of hashes: [UInt32], firstBit: Int) -> Int {
        var groups = [Int](repeating: 0, count: 512)
        for hash in hashes { groups[Int(hash >> UInt32(firstBit)) & 511] += 1 }
        return groups.max() ?? 0
    }

    @Test(
        "All bits of the hashes of evenly spaced integers differ",
        arguments: Array(stride(from: 0, to: 52, by: 4))
    )
    func evenlySpaced(bits: Int) {
        var random = SplitMix64(seed: 1)
        for _ in 0..<20 {
            let hasher = IdentifierHasher(mask: random.next(), factor: random.next())
            for step in [1 << bits, 10 << bits, 1_000 << bits] {
                let hashes = (0..<4_096).map { hasher.hash(of: $0 &* step) }
                #expect(Set(hashes).count > 4_090)
                // On average, a group has 8. The bits select stripes, slots, tags and segments.
                for firstBit in [0, 5, 16, 23] {
                    #expect(greatestGroup(of: hashes, firstBit: firstBit) <= 30)
                }
            }
        }
    }

    @Test func hashesOfOneProcessAreEqual() {
        let (first, second) = (IdentifierHasher(), IdentifierHasher())
        #expect(first.hash(of: 17) == second.hash(of: 17))
        #expect(first.hash(of: "17") == second.hash(of: "17"))
    }

    @Test func unspecializedCodeComputesTheSameHash() {
        func unspecialized(_ id: any Hashable) -> UInt32 { hasher.hash(of: id) }
        let hasher = IdentifierHasher()
        #expect(unspecialized(17) == hasher.hash(of: 17))
        #expect(unspecialized(Int64(17)) == hasher.hash(of: Int64(17)))
        #expect(unspecialized(UInt64(17)) == hasher.hash(of: UInt64(17)))
        #expect(unspecialized("17") == hasher.hash(of: "17"))
    }
}
