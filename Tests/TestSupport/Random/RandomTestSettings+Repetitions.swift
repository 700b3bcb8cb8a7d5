import Foundation

extension RandomTestSettings {
    /// Returns a test's own number of repetitions, times the factor that the environment sets for
    /// the numbers of seeds.
    ///
    /// Without the variable, the test makes all repetitions, unlike the seeds of random tests.
    ///
    /// - Parameters:
    ///   - count: The test's own number of repetitions.
    ///   - environment: The environment variables.
    package static func repetitions(
        _ count: Int,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> Int {
        let scale = environment[scaleVariable].flatMap(Double.init) ?? 1
        return max(1, Int(Double(count) * scale))
    }
}
