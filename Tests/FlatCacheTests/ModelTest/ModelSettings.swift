import Foundation

/// What the model test runs, as environment variables tell it.
///
/// - `FLATCACHE_MODEL_SEED` is the seed of the first sequence; alone, of the only one.
/// - `FLATCACHE_MODEL_SEEDS` is the number of sequences; their seeds follow each other.
/// - `FLATCACHE_MODEL_STEPS` is the number of operations of a sequence.
struct ModelSettings {
    static let seedVariable = "FLATCACHE_MODEL_SEED"

    let seeds: Range<UInt64>
    let steps: Int

    init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        let first = environment[Self.seedVariable].flatMap(UInt64.init)
        let count = environment["FLATCACHE_MODEL_SEEDS"].flatMap(UInt64.init)
        let start = first ?? 1
        seeds = start..<start + (count ?? (first == nil ? 100 : 1))
        steps = environment["FLATCACHE_MODEL_STEPS"].flatMap(Int.init) ?? 60
    }
}
