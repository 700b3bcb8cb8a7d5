import FlatCache

/// The seed of one run of a random test.
package struct Seed: Hashable, Sendable {
    package let number: UInt64

    package init(_ number: UInt64) { self.number = number }

    /// The size of the chunks of collections in the run.
    var chunkSize: Int { number.isMultiple(of: 2) ? 1 : GrowthStep.defaultChunkSize }
}

extension Seed: ExpressibleByIntegerLiteral {
    package init(integerLiteral number: UInt64) { self.init(number) }
}

extension Seed: CustomStringConvertible {
    /// The environment variable that repeats the run, with its value.
    package var description: String { "\(RandomTestSettings.seedVariable)=\(number)" }
}
