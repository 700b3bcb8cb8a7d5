/// The dependencies of transactions: each edge leads to a transaction that must come later.
struct DependencyGraph {
    enum Dependency: Hashable, CustomStringConvertible {
        /// The second transaction writes to a list after the first one.
        case writeWrite(_ list: Int)
        /// The second transaction reads a write of the first one.
        case writeRead(_ list: Int)
        /// The first transaction has read a list without a write of the second one.
        case readWrite(_ list: Int)
        /// The first transaction has ended before the second one began.
        case order

        /// The rank of the dependency, or `nil` for the order in time.
        var rank: Int? {
            switch self {
            case .writeWrite: 0
            case .writeRead: 1
            case .readWrite: 2
            case .order: nil
            }
        }

        var description: String {
            switch self {
            case .writeWrite(let list): "ww(\(list))"
            case .writeRead(let list): "wr(\(list))"
            case .readWrite(let list): "rw(\(list))"
            case .order: "order"
            }
        }
    }

    private struct Edge {
        let dependency: Dependency
        let target: Int
    }

    private let names: [String]
    private var edges: [[Edge]]

    init(_ names: [String]) {
        self.names = names
        edges = Array(repeating: [], count: names.count)
    }

    mutating func add(_ dependency: Dependency, _ from: Int, _ to: Int) {
        if from != to { edges[from].append(Edge(dependency: dependency, target: to)) }
    }

    /// A kind of cycle: one edge of a rank, and a path of edges of ranks up to another one.
    private struct CycleKind {
        let kind: HistoryProblem.Kind
        let rank: Int
        let limit: Int
        let withOrder: Bool

        func allows(_ edge: Edge) -> Bool { edge.dependency.rank.map { $0 <= limit } ?? withOrder }
        func contains(_ edge: Edge) -> Bool { edge.dependency.rank == rank || allows(edge) }
    }

    /// Returns a cycle for each strongly connected component that has one of the gravest kind.
    ///
    /// The transactions alone are graver than the order in time.
    func problems() -> [HistoryProblem] {
        for withOrder in [false, true] {
            for (kind, rank, limit) in [
                (HistoryProblem.Kind.g0, 0, 0), (.g1c, 1, 1), (.gSingle, 2, 1), (.g2Item, 2, 2),
            ] {
                let kind = CycleKind(kind: kind, rank: rank, limit: limit, withOrder: withOrder)
                let found = components(kind.contains).compactMap { cycle(kind, in: Set($0)) }
                if !found.isEmpty { return found }
            }
        }
        return []
    }

    /// Returns a cycle of a kind through some transactions.
    private func cycle(_ kind: CycleKind, in component: Set<Int>) -> HistoryProblem? {
        for source in component.sorted() {
            for edge in edges[source]
            where edge.dependency.rank == kind.rank && component.contains(edge.target) {
                guard let path = path(from: edge.target, to: source, kind, in: component) else {
                    continue
                }
                var text = names[source]
                for edge in [edge] + path { text += " -\(edge.dependency)-> \(names[edge.target])" }
                return HistoryProblem(kind.kind, isOfOrder: kind.withOrder, text)
            }
        }
        return nil
    }

    /// Returns the edges of a shortest path.
    private func path(
        from start: Int,
        to end: Int,
        _ kind: CycleKind,
        in component: Set<Int>
    ) -> [Edge]? {
        var former: [Int: (source: Int, edge: Edge)] = [:]
        var queue = [start]
        var next = 0
        while next < queue.count, former[end] == nil {
            let source = queue[next]
            next += 1
            for edge in edges[source]
            where kind.allows(edge) && component.contains(edge.target) && edge.target != start
                && former[edge.target] == nil
            {
                former[edge.target] = (source, edge)
                queue.append(edge.target)
            }
        }
        var path: [Edge] = []
        var place = end
        while place != start {
            guard let (source, edge) = former[place] else { return nil }
            path.insert(edge, at: 0)
            place = source
        }
        return path
    }

    /// Returns the strongly connected components with several transactions.
    ///
    /// Tarjan, "Depth-First Search and Linear Graph Algorithms" (1972), without recursion, since
    /// the order in time makes paths long.
    private func components(_ isChosen: (Edge) -> Bool) -> [[Int]] {
        var components: [[Int]] = []
        var numbers = Array(repeating: -1, count: edges.count)
        var lowest = numbers
        var isOnStack = Array(repeating: false, count: edges.count)
        var stack: [Int] = []
        var count = 0
        var calls: [(node: Int, edge: Int)] = []
        func enter(_ node: Int) {
            (numbers[node], lowest[node]) = (count, count)
            count += 1
            stack.append(node)
            isOnStack[node] = true
            calls.append((node, 0))
        }
        for root in edges.indices where numbers[root] < 0 {
            enter(root)
            while let (node, position) = calls.last {
                if position < edges[node].count {
                    calls[calls.count - 1].edge += 1
                    let edge = edges[node][position]
                    guard isChosen(edge) else { continue }
                    if numbers[edge.target] < 0 {
                        enter(edge.target)
                    } else if isOnStack[edge.target] {
                        lowest[node] = min(lowest[node], numbers[edge.target])
                    }
                    continue
                }
                calls.removeLast()
                if let caller = calls.last?.node {
                    lowest[caller] = min(lowest[caller], lowest[node])
                }
                guard lowest[node] == numbers[node] else { continue }
                var component: [Int] = []
                repeat {
                    component.append(stack.removeLast())
                    isOnStack[component[component.count - 1]] = false
                } while component.last != node
                if component.count > 1 { components.append(component) }
            }
        }
        return components
    }
}
