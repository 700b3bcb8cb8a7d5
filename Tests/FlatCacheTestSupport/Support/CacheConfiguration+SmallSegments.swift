@testable import FlatCache

extension CacheConfiguration {
    /// A configuration with tables whose segments hold one or two entries, so that few entities
    /// suffice to divide and to join them.
    static var smallSegments: CacheConfiguration {
        var configuration = CacheConfiguration()
        configuration.segmentSize = .small
        return configuration
    }
}

extension SegmentSize {
    static let small = SegmentSize(maximumCapacity: 2)
}

extension Station {
    /// Identifiers of stations in one stripe of their table.
    static func idsInOneStripe(_ count: Int) -> [Int] {
        let ids = (0...).lazy.filter { Stripes.index(of: IdentifierHasher().hash(of: $0)) == 5 }
        return Array(ids.prefix(count))
    }
}
