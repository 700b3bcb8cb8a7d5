#if canImport(Combine) || OpenCombine

@testable import FlatCache

extension Cache {
    /// How many entities commits look at for observers.
    var watchedCount: Int { core.watchedCount }
}

#endif
