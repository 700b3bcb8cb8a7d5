/// A forest in which the root above a vertex is found in logarithmic time.
///
/// The watch graph stores in it which nodes have one dependent only: the parent of a vertex is its
/// sole dependent. The vertices are numbered from zero.
///
/// The data structure is by Sleator and Tarjan, "A data structure for dynamic trees" (1983), in the
/// form of their "Self-adjusting binary search trees" (1985): each tree is divided into paths that
/// lead upwards, and a splay tree contains the vertices of a path, the topmost first.
struct DependentForest {
    private struct Vertex {
        /// The parent in the forest.
        var parent: Int32 = -1
        /// The parent in the splay tree.
        ///
        /// For the root of a splay tree, it is the parent in the forest of the path's topmost
        /// vertex.
        var splayParent: Int32 = -1
        /// The child in the splay tree that contains vertices of the path above this one.
        var upper: Int32 = -1
        /// The child in the splay tree that contains vertices of the path below this one.
        var lower: Int32 = -1
    }

    private var vertices = ChunkedArray<Vertex>()

    /// The number of parents to follow one by one before the search uses the splay trees.
    ///
    /// Most roots are near, and a search that finds one of these changes nothing.
    var nearbyLimit = 8

    /// Adds the next vertex, as a separate tree.
    mutating func appendVertex() { vertices.append(Vertex()) }

    /// Returns the parent of a vertex, or `nil` for a root.
    func parent(of vertex: Int32) -> Int32? {
        let parent = self[vertex].parent
        return parent < 0 ? nil : parent
    }

    /// Makes a root the child of a vertex that isn't in the root's tree.
    ///
    /// - Complexity: O(log *n*), amortized.
    mutating func link(_ root: Int32, to parent: Int32) {
        assert(self[root].parent < 0, "Only a root can become a child.")
        self[root].parent = parent
        splay(root)
        self[root].splayParent = parent
    }

    /// Makes a vertex the root of its subtree.
    ///
    /// - Complexity: O(log *n*), amortized.
    mutating func cut(_ vertex: Int32) {
        guard self[vertex].parent >= 0 else { return }
        self[vertex].parent = -1
        splay(vertex)
        let upper = self[vertex].upper
        if upper >= 0 {
            self[upper].splayParent = self[vertex].splayParent
            self[vertex].upper = -1
        }
        self[vertex].splayParent = -1
    }

    /// Returns the root of a vertex's tree.
    ///
    /// - Complexity: O(log *n*), amortized.
    mutating func root(of vertex: Int32) -> Int32 {
        var root = vertex
        var steps = 0
        while self[root].parent >= 0 {
            guard steps < nearbyLimit else { return distantRoot(of: vertex) }
            root = self[root].parent
            steps += 1
        }
        return root
    }

    private mutating func distantRoot(of vertex: Int32) -> Int32 {
        expose(vertex)
        var root = vertex
        while self[root].upper >= 0 { root = self[root].upper }
        splay(root)
        return root
    }

    /// Makes one path of the vertices from the root down to a vertex, and makes that vertex the
    /// root of the path's splay tree.
    private mutating func expose(_ vertex: Int32) {
        var lower: Int32 = -1
        var current = vertex
        while current >= 0 {
            splay(current)
            self[current].lower = lower
            lower = current
            current = self[current].splayParent
        }
        splay(vertex)
    }

    // MARK: Splay trees

    private mutating func splay(_ vertex: Int32) {
        while !isSplayRoot(vertex) {
            let parent = self[vertex].splayParent
            if !isSplayRoot(parent) {
                let grandparent = self[parent].splayParent
                let isStraight =
                    (self[parent].upper == vertex) == (self[grandparent].upper == parent)
                rotate(isStraight ? parent : vertex)
            }
            rotate(vertex)
        }
    }

    /// Swaps the levels of a vertex and its parent in the splay tree.
    private mutating func rotate(_ vertex: Int32) {
        let parent = self[vertex].splayParent
        let grandparent = self[parent].splayParent
        if !isSplayRoot(parent) {
            if self[grandparent].upper == parent {
                self[grandparent].upper = vertex
            } else {
                self[grandparent].lower = vertex
            }
        }
        let moved: Int32
        if self[parent].upper == vertex {
            moved = self[vertex].lower
            self[parent].upper = moved
            self[vertex].lower = parent
        } else {
            moved = self[vertex].upper
            self[parent].lower = moved
            self[vertex].upper = parent
        }
        if moved >= 0 { self[moved].splayParent = parent }
        self[parent].splayParent = vertex
        self[vertex].splayParent = grandparent
    }

    private func isSplayRoot(_ vertex: Int32) -> Bool {
        let parent = self[vertex].splayParent
        return parent < 0 || self[parent].upper != vertex && self[parent].lower != vertex
    }

    private subscript(vertex: Int32) -> Vertex {
        _read { yield vertices[Int(vertex)] }
        _modify { yield &vertices[Int(vertex)] }
    }
}
