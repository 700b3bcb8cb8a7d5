import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct HashRangeTests {
    private let hashes: [UInt32] = [0, 1, 0x1234_5678, 0x7FFF_FFFF, 0x8000_0000, .max]

    @Test func allHashesBelongToTheRangeOfDepthZero() {
        #expect(HashRange.all.end == 1 << 32)
        #expect(
            hashes.allSatisfy { HashRange.all.contains($0) && HashRange(of: $0, depth: 0) == .all }
        )
    }

    @Test(arguments: 1...HashRange.maximumDepth)
    func parentConsistsOfARangeAndItsBuddy(depth: Int) {
        for hash in hashes {
            let range = HashRange(of: hash, depth: depth)
            #expect(range.contains(hash) && !range.buddy.contains(hash))
            #expect(range.buddy.buddy == range && range.buddy.parent == range.parent)
            let halves = [range, range.buddy].sorted { $0.start < $1.start }
            #expect(halves[0].start == range.parent.start)
            #expect(halves[0].end == UInt64(halves[1].start) && halves[1].end == range.parent.end)
        }
    }

    @Test(arguments: [0, 1, 5], [0, 1, 2, 6])
    func partsCoverARangeInOrder(depth: Int, bits: Int) {
        for hash in hashes {
            let range = HashRange(of: hash, depth: depth)
            var position = UInt64(range.start)
            for index in 0..<1 << bits {
                let part = range.part(at: index, bits: bits)
                #expect(UInt64(part.start) == position && part.depth == depth + bits)
                #expect(range.part(of: part.start, bits: bits) == index)
                #expect(range.part(of: UInt32(part.end - 1), bits: bits) == index)
                position = part.end
            }
            #expect(position == range.end)
        }
    }
}
