import TestSupport

@testable import FlatCache
@testable import FlatCacheTestSupport

/// An operation on a cache with an archive, or on the archive.
indirect enum ArchiveOperation {
    case set(Profile)
    case replace(Profile)
    case update(Int, name: String)
    case remove(Int)
    case removeAll
    case removeEverything
    case invalidate(Int)
    case invalidateAll
    case batch([ArchiveOperation], isThrowing: Bool)
    case observe(Int)
    case prune
    case trim
    case advance(seconds: Int)
    /// A flush, with further operations between its beginning and its end.
    case flush([ArchiveOperation], fails: Bool)
    case restore([Int])
    /// A value that another process has written into the archive.
    case importValue(Profile)
    case importRemoval(Int)
    case renewAll
}

extension ArchiveOperation: RandomOperation {
    var inside: [ArchiveOperation] {
        switch self {
        case .batch(let operations, _), .flush(let operations, _): operations
        default: []
        }
    }

    var simpler: [ArchiveOperation] {
        switch self {
        case .batch(let operations, let isThrowing):
            Self.shrunk(operations).map { .batch($0, isThrowing: isThrowing) }
        case .flush(let operations, let fails):
            Self.shrunk(operations).map { .flush($0, fails: fails) }
        case .restore(let ids): ids.shortened().map { .restore($0) }
        default: []
        }
    }

    var description: String {
        switch self {
        case .set(let profile): "set \(Self.text(profile))"
        case .replace(let profile): "replace \(Self.text(profile))"
        case .update(let id, let name): "update \(id) to \(name)"
        case .remove(let id): "remove \(id)"
        case .removeAll: "remove all"
        case .removeEverything: "remove everything"
        case .invalidate(let id): "invalidate \(id)"
        case .invalidateAll: "invalidate all"
        case .batch(let operations, let isThrowing):
            "batch {\(Self.text(operations))\(isThrowing ? "; throw" : "")}"
        case .observe(let id): "observe \(id)"
        case .prune: "prune"
        case .trim: "trim"
        case .advance(let seconds): "advance by \(seconds) s"
        case .flush(let operations, let fails):
            "flush {\(Self.text(operations))\(fails ? "; fail" : "")}"
        case .restore(let ids): "restore \(ids)"
        case .importValue(let profile): "import \(Self.text(profile))"
        case .importRemoval(let id): "import the removal of \(id)"
        case .renewAll: "store all again"
        }
    }

    private static func text(_ operations: [ArchiveOperation]) -> String {
        operations.map(\.description).joined(separator: "; ")
    }

    private static func text(_ profile: Profile) -> String {
        "\(profile.id) (\(profile.name ?? "-"), \(profile.mail ?? "-"))"
    }
}

/// A generator of random operations, which are the same for the same seed.
struct ArchiveGenerator {
    private var random: SplitMix64

    init(seed: Seed) { random = SplitMix64(seed: seed) }

    mutating func operations(count: Int) -> [ArchiveOperation] {
        (0..<count).map { _ in operation() }
    }

    private mutating func operation() -> ArchiveOperation {
        switch random.below(40) {
        case 0...19: return write()
        case 20...21: return .batch(writes(), isThrowing: random.oneIn(3))
        case 22...23: return .observe(id())
        case 24: return .prune
        case 25: return .trim
        case 26...28: return .advance(seconds: random.pick([1, 20, 50, 200]))
        case 29...32: return .flush([], fails: random.oneIn(4))
        case 33: return .flush(writes() + [.restore([id(), id()])], fails: random.oneIn(4))
        case 34...36: return .restore((0..<random.below(6)).map { _ in id() })
        case 37: return .importValue(Profile(id: id(), name: text(), mail: text()))
        case 38: return .importRemoval(id())
        default: return .renewAll
        }
    }

    private mutating func writes() -> [ArchiveOperation] {
        (0..<random.below(6)).map { _ in write() }
    }

    private mutating func write() -> ArchiveOperation {
        switch random.below(20) {
        case 0...9: .set(profile())
        case 10...11: .replace(profile())
        case 12...13: .update(id(), name: text())
        case 14...15: .remove(id())
        case 16: random.oneIn(3) ? .removeAll : .set(profile())
        case 17: random.oneIn(4) ? .removeEverything : .set(profile())
        case 18: .invalidate(id())
        default: random.oneIn(3) ? .invalidateAll : .invalidate(id())
        }
    }

    private mutating func id() -> Int { random.below(9) }

    private mutating func text() -> String { random.pick(["a", "b", "c", "d"]) }

    private mutating func profile() -> Profile {
        Profile(
            id: id(),
            name: random.oneIn(2) ? text() : nil,
            mail: random.oneIn(2) ? text() : nil
        )
    }
}
