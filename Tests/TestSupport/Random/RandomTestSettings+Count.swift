import Foundation

extension RandomTestSettings {
    /// Returns a test's own number of repetitions, times the factor for the numbers of seeds.
    ///
    /// - Parameters:
    ///   - count: The number of repetitions with a factor of 1.
    ///   - environment: The environment variables.
    package static func repetitions(
        _ count: Int,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> Int {
        let scale = environment[scaleVariable].flatMap(Double.init) ?? 1
        return max(1, Int(Double(count) * scale))
    }
}
