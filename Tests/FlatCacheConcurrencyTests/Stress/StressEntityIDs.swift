@testable import FlatCacheTestSupport

/// A set of identifiers of stress entities.
///
/// The identifiers are small numbers, so that the set fits into one integer and the model can
/// search many graphs quickly.
struct StressEntityIDs: Hashable, Sendable {
    private var bits: UInt64 = 0

    /// The number of possible identifiers, which lie between zero and this limit.
    static let limit = 64

    init(_ ids: some Sequence<Int> = []) {
        for id in ids { insert(id) }
    }

    var isEmpty: Bool { bits == 0 }

    /// The identifiers in ascending order.
    var all: [Int] {
        var ids: [Int] = []
        var rest = bits
        while rest != 0 {
            ids.append(rest.trailingZeroBitCount)
            rest &= rest - 1
        }
        return ids
    }

    func contains(_ id: Int) -> Bool { bits & (1 << UInt64(id)) != 0 }

    mutating func insert(_ id: Int) { bits |= 1 << UInt64(id) }

    func union(_ other: StressEntityIDs) -> StressEntityIDs { with(bits | other.bits) }

    func intersection(_ other: StressEntityIDs) -> StressEntityIDs { with(bits & other.bits) }

    func subtracting(_ other: StressEntityIDs) -> StressEntityIDs { with(bits & ~other.bits) }

    private func with(_ bits: UInt64) -> StressEntityIDs {
        var result = self
        result.bits = bits
        return result
    }
}
