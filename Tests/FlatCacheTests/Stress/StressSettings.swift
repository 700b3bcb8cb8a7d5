import Foundation

/// What the tests under fire run, as environment variables tell it.
///
/// - `FLATCACHE_FIRE_SEED` is the seed of the first round; alone, of the only one.
/// - `FLATCACHE_FIRE_ROUNDS` is the number of rounds; their seeds follow each other.
///
/// A seed repeats what each thread does, not how the threads meet: a failure may take many rounds
/// to come back. Without the variables the seeds are the same in every run.
struct StressSettings {
    static let seedVariable = "FLATCACHE_FIRE_SEED"

    let seeds: Range<UInt64>

    /// - Parameter rounds: The number of rounds unless the environment says otherwise.
    init(
        rounds: UInt64,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        let first = environment[Self.seedVariable].flatMap(UInt64.init)
        let count = environment["FLATCACHE_FIRE_ROUNDS"].flatMap(UInt64.init)
        let start = first ?? 1
        seeds = start..<start + (count ?? (first == nil ? rounds : 1))
    }

    /// What to say of a round that has failed.
    static func report(_ problems: [String], seed: UInt64) -> String {
        """
        With \(seedVariable)=\(seed) there are \(problems.count) problems, of which the first:
        \(problems.prefix(8).joined(separator: "\n"))
        """
    }
}
