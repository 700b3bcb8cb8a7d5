import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Compares the forest with one in which a search follows all parents.
struct DependentForestTests {
    private func root(of vertex: Int32, in parents: [Int32?]) -> Int32 {
        var root = vertex
        while let parent = parents[Int(root)] { root = parent }
        return root
    }

    private func forest(count: Int, nearbyLimit: Int) -> DependentForest {
        var forest = DependentForest()
        forest.nearbyLimit = nearbyLimit
        for _ in 0..<count { forest.appendVertex() }
        return forest
    }

    @Test func newVertexIsARoot() {
        var forest = forest(count: 2, nearbyLimit: 0)
        #expect(forest.root(of: 0) == 0)
        #expect(forest.root(of: 1) == 1)
        #expect(forest.parent(of: 1) == nil)
    }

    @Test func cuttingARootChangesNothing() {
        var forest = forest(count: 2, nearbyLimit: 0)
        forest.link(1, to: 0)
        forest.cut(0)
        #expect(forest.root(of: 1) == 0)
    }

    @Test("A subtree keeps its vertices when it is cut and linked elsewhere", arguments: [0, 8])
    func subtrees(nearbyLimit: Int) {
        var forest = forest(count: 100, nearbyLimit: nearbyLimit)
        for vertex: Int32 in 1..<100 where vertex != 50 { forest.link(vertex, to: vertex - 1) }
        #expect(forest.root(of: 49) == 0)
        #expect(forest.root(of: 99) == 50)
        forest.link(50, to: 20)
        #expect(forest.root(of: 99) == 0)
        forest.cut(10)
        #expect(forest.root(of: 99) == 10)
        #expect(forest.root(of: 9) == 0)
    }

    @Test("A long path doesn't exhaust the stack")
    func longPath() {
        let count: Int32 = 200_000
        var forest = forest(count: Int(count), nearbyLimit: 8)
        for vertex in 1..<count { forest.link(vertex, to: vertex - 1) }
        #expect(forest.root(of: count - 1) == 0)
        forest.cut(count / 2)
        #expect(forest.root(of: count - 1) == count / 2)
    }

    @Test(arguments: RandomTestSettings(seeds: 100, steps: 300).seeds)
    func rootsAreThoseOfANaiveForest(seed: Seed) {
        var random = SplitMix64(seed: seed)
        let count = random.pick([2, 5, 20, 60])
        var forest = forest(count: count, nearbyLimit: random.pick([0, 0, 3]))
        var parents = [Int32?](repeating: nil, count: count)
        for step in 0..<300 {
            let vertex = Int32(random.below(count))
            let other = Int32(random.below(count))
            if random.oneIn(4) {
                forest.cut(vertex)
                parents[Int(vertex)] = nil
            } else if parents[Int(vertex)] == nil, root(of: other, in: parents) != vertex {
                forest.link(vertex, to: other)
                parents[Int(vertex)] = other
            }
            let asked = Int32(random.below(count))
            #expect(forest.root(of: asked) == root(of: asked, in: parents), "\(seed), step \(step)")
            #expect(forest.parent(of: asked) == parents[Int(asked)], "\(seed), step \(step)")
        }
        for vertex in 0..<Int32(count) {
            #expect(forest.root(of: vertex) == root(of: vertex, in: parents), "\(seed)")
        }
    }
}
