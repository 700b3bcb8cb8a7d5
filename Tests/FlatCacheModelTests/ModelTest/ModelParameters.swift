@testable import FlatCacheTestSupport

/// The sizes and weights that shape the operations of a seed.
struct ModelParameters: Sendable {
    /// The pattern of relationships between entities.
    enum Links: Sendable {
        /// Relationships to random entities.
        case random
        /// Relationships to the next entities on a ring, which produce long cycles.
        case rings
    }

    /// The number of identifiers of each type.
    var keyCounts: [ModelKey.Kind: Int]
    var links: Links
    /// The least and the greatest number of relationships of an entity whose relationships are
    /// known.
    var linkMinimum: Int
    var linkLimit: Int
    /// The maximum number of observations.
    var slotCount: Int
    /// The maximum number of values set by one call.
    var burst: Int
    /// The maximum number of operations during which a snapshot stays open.
    var snapshotLength = 6
    /// The number of units that a walk of the watch graph may visit before it looks for components,
    /// or `nil` for the default.
    ///
    /// With zero, there are components even among few entities.
    var shortWalkLimit: Int?
    /// A Boolean value that indicates whether the watch graph always sweeps the whole graph for
    /// unreached nodes.
    var alwaysSweeps: Bool
    /// A Boolean value that indicates whether types have limits and expirations that are never
    /// reached and so must make no difference.
    var hasLimits: Bool
    /// A Boolean value that indicates whether a load is running all the time, which must make no
    /// difference either.
    var isLoading = false
    /// The weights with which each kind of operation is chosen.
    var weights: [(choice: ModelOperationSort, weight: Int)]

    init(_ random: inout SplitMix64) {
        let size = random.below(16)
        switch size {
        case 0..<9:
            keyCounts = Self.counts(in: 1...5, &random)
            burst = 5
        case 9..<13:
            keyCounts = Self.counts(in: 4...9, &random)
            burst = 8
        case 13..<15:
            keyCounts = Self.counts(in: 12...20, &random)
            burst = 25
        default:
            keyCounts = [.page: 110, .tag: 3, .draft: 12]
            burst = 120
        }
        links = random.oneIn(3) ? .rings : .random
        linkMinimum = random.below(2)
        linkLimit = random.number(in: 1...4)
        slotCount = random.number(in: 2...9)
        shortWalkLimit = random.oneIn(3) ? nil : 0
        alwaysSweeps = random.oneIn(4)
        hasLimits = random.oneIn(2)
        let isLarge = size == 15
        if isLarge { snapshotLength = 12 }
        weights = ModelOperationSort.allCases.map { sort in
            // With many entities, snapshots stay open while many entities are removed.
            if isLarge, sort.concernsMany { return (sort, 40) }
            return (sort, sort.weight * (sort.isEssential ? 1 : random.pick([0, 1, 1, 3])))
        }
    }

    private static func counts(
        in range: ClosedRange<Int>,
        _ random: inout SplitMix64
    ) -> [ModelKey.Kind: Int] {
        var counts: [ModelKey.Kind: Int] = [:]
        for kind in ModelKey.Kind.allCases { counts[kind] = random.number(in: range) }
        return counts
    }

    var keys: [ModelKey] {
        ModelKey.Kind.allCases.flatMap { kind in
            (0..<keyCount(of: kind)).map { ModelKey(kind: kind, number: $0) }
        }
    }

    func keyCount(of kind: ModelKey.Kind) -> Int { keyCounts[kind] ?? 0 }
}

/// The kinds of generated operations.
enum ModelOperationSort: CaseIterable, Sendable {
    case set
    case setAll
    case replace
    case update
    case remove
    case removeKind
    case removeAll
    case prune
    case batch
    case observe
    case dispose
    case snapshot
    case dropHandles

    var isEssential: Bool { self == .set || self == .replace || self == .observe }

    /// A Boolean value that indicates whether operations of this kind may change many entities at
    /// once, or keep prior versions alive.
    var concernsMany: Bool {
        self == .setAll || self == .removeKind || self == .prune || self == .snapshot
    }

    /// A Boolean value that indicates whether operations of this kind contain others.
    var isNesting: Bool { self == .batch || self == .snapshot }

    /// The default weight of the kind.
    var weight: Int {
        switch self {
        case .set: 16
        case .setAll: 8
        case .replace: 10
        case .update: 10
        case .remove: 6
        case .removeKind: 1
        case .removeAll: 1
        case .prune: 2
        case .batch: 12
        case .observe: 12
        case .dispose: 6
        case .snapshot: 5
        case .dropHandles: 1
        }
    }
}
