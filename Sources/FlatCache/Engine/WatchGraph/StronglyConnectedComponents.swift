/// A directed graph whose vertices are numbered from zero, with contiguous edges for each vertex.
struct CompactGraph {
    private var starts: [Int32] = [0]
    private var targets: [Int32] = []

    var vertexCount: Int { starts.count - 1 }

    /// Adds the next vertex with its edges.
    mutating func appendVertex(edgesTo newTargets: some Sequence<Int32>) {
        targets.append(contentsOf: newTargets)
        starts.append(Int32(targets.count))
    }

    /// Returns the strongly connected components of two or more vertices.
    ///
    /// The algorithm is by Tarjan, "Depth-first search and linear graph algorithms" (1972), with an
    /// explicit stack in place of the recursion.
    ///
    /// - Complexity: O(*v* + *e*) in the numbers of vertices and edges.
    func stronglyConnectedComponents() -> [[Int32]] {
        var components: [[Int32]] = []
        // Zero stands for a vertex that has not been visited.
        var order = [Int32](repeating: 0, count: vertexCount)
        var lowest = order
        var isOpen = [Bool](repeating: false, count: vertexCount)
        var open: [Int32] = []
        var path: [(vertex: Int32, nextEdge: Int32)] = []
        var visited: Int32 = 0

        func visit(_ vertex: Int32) {
            visited += 1
            order[Int(vertex)] = visited
            lowest[Int(vertex)] = visited
            isOpen[Int(vertex)] = true
            open.append(vertex)
            path.append((vertex, starts[Int(vertex)]))
        }

        for root in 0..<Int32(vertexCount) where order[Int(root)] == 0 {
            visit(root)
            while let (vertex, edge) = path.last {
                if edge < starts[Int(vertex) + 1] {
                    path[path.count - 1].nextEdge += 1
                    let target = targets[Int(edge)]
                    if order[Int(target)] == 0 {
                        visit(target)
                    } else if isOpen[Int(target)] {
                        lowest[Int(vertex)] = min(lowest[Int(vertex)], order[Int(target)])
                    }
                    continue
                }
                path.removeLast()
                if let parent = path.last?.vertex {
                    lowest[Int(parent)] = min(lowest[Int(parent)], lowest[Int(vertex)])
                }
                guard lowest[Int(vertex)] == order[Int(vertex)] else { continue }
                let first = open.lastIndex(of: vertex) ?? open.startIndex
                if open.count - first > 1 { components.append(Array(open[first...])) }
                for closed in open[first...] { isOpen[Int(closed)] = false }
                open.removeSubrange(first...)
            }
        }
        return components
    }
}
