/// What the sequence of a seed plays with.
struct ModelWorld: Sendable {
    /// How the entities refer to each other.
    enum Links: Sendable {
        /// To any others.
        case random
        /// To the ones that follow, around in a ring: long cycles.
        case rings
    }

    /// How many identifiers there are of each type.
    var keyCounts: [ModelKey.Kind: Int]
    var links: Links
    /// How many others an entity refers to at least and at most, if they are known.
    var linkMinimum: Int
    var linkLimit: Int
    /// How many observations there are at most.
    var slotCount: Int
    /// How many values are set at once at most.
    var burst: Int
    /// How many operations a snapshot is open for at most.
    var snapshotLength = 6
    /// How many units a walk of the watch graph may visit before it looks for components.
    ///
    /// The default, or none, so that there are components also where there are few entities.
    var fewUnits: Int?
    /// Whether the watch graph looks for what is unreached by sweeping all of it.
    var alwaysSweeps: Bool
    /// Whether types have limits that are never reached and times that never come, which must make
    /// no difference.
    var hasLimits: Bool
    /// How often an operation is one of each sort.
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
        fewUnits = random.oneIn(3) ? nil : 0
        alwaysSweeps = random.oneIn(4)
        hasLimits = random.oneIn(2)
        let isLarge = size == 15
        if isLarge { snapshotLength = 12 }
        weights = ModelOperationSort.allCases.map { sort in
            // What many entities are for: snapshots that stay open while many of them go.
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

/// The sorts of operations that are generated.
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

    /// Whether operations of the sort may change many entities at once, or keep what has changed.
    var concernsMany: Bool {
        self == .setAll || self == .removeKind || self == .prune || self == .snapshot
    }

    /// Whether operations of the sort contain others.
    var isNesting: Bool { self == .batch || self == .snapshot }

    /// How often it is chosen, compared with the others.
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
