import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct StronglyConnectedComponentsTests {
    private func components(_ edges: [[Int32]]) -> Set<Set<Int32>> {
        var graph = CompactGraph()
        for targets in edges { graph.appendVertex(edgesTo: targets) }
        let found = graph.stronglyConnectedComponents()
        let components = Set(found.map { Set($0) })
        #expect(components.count == found.count, "No component may be found twice.")
        #expect(found.allSatisfy { Set($0).count == $0.count }, "No vertex may appear twice.")
        return components
    }

    @Test func graphWithoutCyclesHasNoComponents() {
        #expect(components([]) == [])
        #expect(components([[], []]) == [])
        #expect(components([[1, 2], [2], []]) == [])
    }

    @Test func vertexWithAnEdgeToItselfIsNoComponent() {
        #expect(components([[0], [1, 1]]) == [])
    }

    @Test func cycleIsAComponent() {
        #expect(components([[1], [0]]) == [[0, 1]])
        #expect(components([[1, 1], [2, 3], [0], []]) == [[0, 1, 2]])
    }

    @Test func cyclesThatShareAVertexAreOneComponent() {
        #expect(components([[1, 3], [2], [0], [4], [0]]) == [[0, 1, 2, 3, 4]])
    }

    @Test func cyclesWithEdgesInOneDirectionAreTwoComponents() {
        #expect(components([[1], [0, 2], [3], [2]]) == [[0, 1], [2, 3]])
        #expect(components([[1], [0], [3], [2, 0]]) == [[0, 1], [2, 3]])
    }

    @Test("A long cycle doesn't exhaust the stack")
    func longCycle() {
        let count: Int32 = 200_000
        var graph = CompactGraph()
        for vertex in 0..<count { graph.appendVertex(edgesTo: [(vertex + 1) % count]) }
        #expect(graph.stronglyConnectedComponents().map(\.count) == [Int(count)])
    }

    /// Returns the components by their definition: sets of vertices that reach each other.
    private func naiveComponents(_ edges: [[Int32]]) -> Set<Set<Int32>> {
        var reach = edges.map { Set($0) }
        for middle in edges.indices {
            for vertex in edges.indices where reach[vertex].contains(Int32(middle)) {
                reach[vertex].formUnion(reach[middle])
            }
        }
        let components = edges.indices.map { vertex in
            Set(reach[vertex].filter { reach[Int($0)].contains(Int32(vertex)) })
        }
        return Set(components.filter { $0.count > 1 })
    }

    @Test(arguments: RandomTestSettings(seeds: 300).seeds)
    func componentsAreTheVerticesThatReachEachOther(seed: Seed) {
        var random = SplitMix64(seed: seed)
        let count = random.number(in: 2...24)
        var edges = [[Int32]](repeating: [], count: count)
        for _ in 0..<random.number(in: 1...2 * count) {
            edges[random.below(count)].append(Int32(random.below(count)))
        }
        #expect(components(edges) == naiveComponents(edges), "seed \(seed)")
    }
}
