import TestSupport
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct EdgeListTests {
    @Test("Each edge is in the list once when it gets or frees chunks of the default size")
    func severalChunks() {
        let places = Int32(GrowthStep.defaultChunkSize / MemoryLayout<EdgeList.Edge>.stride)
        let positions = 0..<(2 * places + 2)
        var list = EdgeList()
        for position in positions {
            list.append(EdgeList.Edge(node: WatchNodeID(index: position), position: position))
        }
        #expect(list.lazy.map(\.position).elementsEqual(positions))
        var removed: [Int32] = []
        while !list.isEmpty { removed.append(list.removeLast().position) }
        #expect(removed.elementsEqual(positions.reversed()))
    }

    @Test func listBehavesLikeAnArray() {
        RandomTestSettings(seeds: 30).forEachSeed { seed in
            var random = SplitMix64(seed: seed)
            var list = EdgeList()
            var expected: [EdgeList.Edge] = []
            for step in 0..<400 {
                // The list grows and shrinks in turn.
                let mostlyAppends = step % 200 < 100
                let node = WatchNodeID(index: Int32(step))
                let edge = EdgeList.Edge(node: node, position: Int32(random.below(100)))
                switch random.below(10) {
                case 0 where !expected.isEmpty:
                    let index = random.below(expected.count)
                    list[index] = edge
                    expected[index] = edge
                case 1...6 where mostlyAppends, 1...2:
                    list.append(edge)
                    expected.append(edge)
                case _ where !expected.isEmpty:
                    expected.removeLast()
                    _ = list.removeLast()
                default: break
                }
                let isEqual = list.elementsEqual(expected) {
                    $0.node == $1.node && $0.position == $1.position
                }
                if !isEqual {
                    return FailureReport(seed: seed, step: step, problem: "The edges differ.")
                }
            }
            return nil
        }
    }
}
