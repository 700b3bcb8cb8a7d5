import FlatCache

@testable import FlatCacheTestSupport

/// An operation of the watch graph's model test.
///
/// It is valid in every state, so that any operation can be left out of a sequence.
enum GraphOperation: RandomOperation {
    /// A commit that writes vertices, and replaces the relationships of a vertex unless `links` is
    /// `nil`.
    case commit([(vertex: Int, links: Set<Int>?)])
    case observe(number: Int, vertex: Int, RelationshipDepth, wantsCauses: Bool)
    case dispose(number: Int)

    var description: String {
        switch self {
        case .commit(let writes):
            "commit "
                + writes.map { "\($0.vertex): \($0.links.map { "\($0.sorted())" } ?? "as it was")" }
                .joined(separator: ", ")
        case .observe(let number, let vertex, let following, let wantsCauses):
            """
            observe \(vertex) as \(number), following \(following)\(wantsCauses ? ", causes" : "")
            """
        case .dispose(let number):
            "dispose of \(number)"
        }
    }
}

/// A generator of the operations for a seed.
struct GraphGenerator {
    private var random: SplitMix64
    private let vertexCount: Int
    private let density: Int
    private let observerCount: Int
    private let isLocal: Bool
    /// The number of units that a walk may visit before it looks for components, or `nil` for the
    /// default.
    let shortWalkLimit: Int?
    /// The number of sole dependents to follow one by one, or `nil` for the default.
    let nearbyLimit: Int?

    init(seed: Seed) {
        random = SplitMix64(seed: seed)
        vertexCount = random.pick([4, 8, 20, 20, 60])
        density = random.number(in: 0...3)
        observerCount = random.pick([1, 3, 8])
        isLocal = random.oneIn(2)
        shortWalkLimit = random.oneIn(3) ? nil : random.below(3)
        nearbyLimit = random.oneIn(3) ? nil : random.below(3)
    }

    mutating func operations(count: Int) -> [GraphOperation] {
        let all = GraphOperation.commit((0..<vertexCount).map { ($0, links(of: $0)) })
        return [all] + (1..<max(2, count)).map { _ in operation() }
    }

    private mutating func operation() -> GraphOperation {
        switch random.below(8) {
        case 0: .dispose(number: random.below(observerCount))
        case 1, 2:
            .observe(
                number: random.below(observerCount),
                vertex: random.below(vertexCount),
                random.pick([
                    .allRelationships, .allRelationships, .allRelationships, .none, .levels(2),
                ]),
                wantsCauses: random.oneIn(2)
            )
        default:
            .commit(
                (0..<random.number(in: 1...3)).map { _ in
                    let vertex = random.below(vertexCount)
                    return (vertex, random.oneIn(3) ? nil : links(of: vertex))
                }
            )
        }
    }

    /// Returns random vertices, or the next ones on a ring, which produces long cycles.
    private mutating func links(of vertex: Int) -> Set<Int> {
        var links: Set<Int> = []
        for _ in 0..<random.number(in: 0...density) + (isLocal ? 1 : 0) {
            let isNear = isLocal && !random.oneIn(8)
            links.insert(
                isNear
                    ? (vertex + random.number(in: 1...2)) % vertexCount : random.below(vertexCount)
            )
        }
        return links
    }
}
