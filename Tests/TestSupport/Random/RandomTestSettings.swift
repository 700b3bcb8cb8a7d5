import FlatCache
import Foundation
package import Testing

/// The seeds and the number of steps of a random test.
///
/// A random test runs once for each of its seeds. The seeds are the same in every run, unless
/// environment variables change them:
///
/// - `FLATCACHE_SEED` is the first seed. Alone, it's the only seed. A failed test prints it.
/// - `FLATCACHE_SEEDS` is the number of seeds, instead of each test's own number.
/// - `FLATCACHE_STEPS` is the number of steps per seed, instead of each test's own number.
/// - `FLATCACHE_RANDOM_SCALE` is a factor for the tests' own numbers of seeds, 0.25 by default. For
///   example, with 0.2 each test uses a fifth of its seeds, but at least one. With 1, as in the
///   nightly run, each test also expects that its generator has caused each kind of event often.
///
/// The variables apply to all random tests, so run a single one with a filter:
///
/// ```console
/// FLATCACHE_SEED=17 swift test --filter ModelTests
/// FLATCACHE_SEEDS=100000 swift test --filter ObserverStressTests
/// ```
///
/// With every other seed, collections grow an element at a time, so that the test meets all states
/// of a growth. If other tests run at the same time, collections of this test may grow otherwise.
///
/// A seed repeats the calls of each thread, but not the order in which the calls of several threads
/// meet. A test with several threads therefore uses `FLATCACHE_SEED` for all its runs.
package struct RandomTestSettings: Sendable {
    static let seedVariable = "FLATCACHE_SEED"
    static let countVariable = "FLATCACHE_SEEDS"
    static let stepsVariable = "FLATCACHE_STEPS"
    static let scaleVariable = "FLATCACHE_RANDOM_SCALE"

    /// The factor that the environment sets for numbers of seeds and sizes.
    private static func scale(_ environment: [String: String]) -> Double {
        environment[scaleVariable].flatMap(Double.init) ?? 0.25
    }

    /// The environment in which each test uses all of its seeds.
    package static let whole = [scaleVariable: "1"]

    package let seeds: [Seed]
    package let steps: Int
    /// A Boolean value that indicates whether an environment variable sets the seed.
    package let isReplay: Bool
    /// A Boolean value that indicates whether the test has at least its own numbers of seeds and
    /// steps.
    let isWhole: Bool

    /// Creates settings.
    ///
    /// - Parameters:
    ///   - count: The number of seeds, unless the environment sets one.
    ///   - steps: The number of steps per seed, unless the environment sets one.
    ///   - hasThreads: A Boolean value that indicates whether several threads meet in the test.
    ///   - environment: The environment variables.
    package init(
        seeds count: Int,
        steps: Int = 1,
        hasThreads: Bool = false,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        func number<Number: LosslessStringConvertible>(_ variable: String) -> Number? {
            environment[variable].flatMap(Number.init)
        }
        let first: UInt64? = number(Self.seedVariable)
        let scaled = max(1, Int(Double(count) * Self.scale(environment)))
        let chosen = number(Self.countVariable) ?? (first == nil || hasThreads ? scaled : 1)
        seeds = (0..<chosen).map { index in
            guard let first else { return Seed(UInt64(index) + 1) }
            return Seed(hasThreads ? first : first &+ UInt64(index))
        }
        self.steps = number(Self.stepsVariable) ?? steps
        isWhole = chosen >= count && self.steps >= steps
        isReplay = first != nil
    }

    /// Returns the size of a large test: a part of the size that the nightly run uses, unless the
    /// environment sets another factor.
    package static func scaled(_ size: Int) -> Int {
        Int(Double(size) * min(1, scale(ProcessInfo.processInfo.environment)))
    }

    /// Runs a test for one seed after another until one of them fails, and records the failure.
    ///
    /// - Parameter body: Runs the test with a seed, and returns its failure.
    /// - Returns: A Boolean value that indicates whether the test passed for all seeds.
    @discardableResult
    package func forEachSeed(
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: (Seed) throws -> FailureReport?
    ) rethrows -> Bool {
        for seed in seeds {
            GrowthStep.chunkSize = seed.chunkSize
            let failure = try TrapReport.during([seed]) { try body(seed) }
            guard let failure else { continue }
            failure.record(sourceLocation: sourceLocation)
            return false
        }
        return true
    }

    /// Runs an asynchronous test for one seed after another until one of them fails, and records
    /// the failure.
    ///
    /// - Parameter body: Runs the test with a seed, and returns its failure.
    /// - Returns: A Boolean value that indicates whether the test passed for all seeds.
    @discardableResult
    package func forEachSeed(
        isolation: isolated (any Actor)? = #isolation,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: (Seed) async throws -> FailureReport?
    ) async rethrows -> Bool {
        for seed in seeds {
            GrowthStep.chunkSize = seed.chunkSize
            let failure = try await TrapReport.during([seed]) { try await body(seed) }
            guard let failure else { continue }
            failure.record(sourceLocation: sourceLocation)
            return false
        }
        return true
    }
}
