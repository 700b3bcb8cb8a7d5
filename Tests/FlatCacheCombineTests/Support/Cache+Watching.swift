#if canImport(Combine) || OpenCombine

@testable import FlatCache

extension Cache {
    /// The number of watched entities.
    var watchedCount: Int { core.watchedCount }
}

#endif
