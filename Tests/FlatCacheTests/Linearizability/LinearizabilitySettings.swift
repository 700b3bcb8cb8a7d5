import Foundation

/// What the linearizability test runs, as environment variables tell it.
///
/// - `FLATCACHE_LINEARIZABILITY_SEED` is a seed whose calls are made again and again, each time
///   with other pauses between them; without it each history has a seed of its own.
/// - `FLATCACHE_LINEARIZABILITY_HISTORIES` is the number of histories.
struct LinearizabilitySettings {
    static let seedVariable = "FLATCACHE_LINEARIZABILITY_SEED"

    let seed: UInt64?
    let historyCount: Int

    init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        seed = environment[Self.seedVariable].flatMap(UInt64.init)
        historyCount = environment["FLATCACHE_LINEARIZABILITY_HISTORIES"].flatMap(Int.init) ?? 4000
    }

    /// Settings that no variable changes.
    init(historyCount: Int) {
        seed = nil
        self.historyCount = historyCount
    }
}
