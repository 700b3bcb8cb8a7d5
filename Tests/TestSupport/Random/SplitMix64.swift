/// A generator of random numbers that returns the same numbers for the same seed, on every platform
/// and in every version.
///
/// Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators" (2014).
package struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: Seed) {
        state = seed.number
    }

    /// Creates one of several generators of a seed, such as the generator of a thread.
    package init(seed: Seed, stream: Int) {
        state = seed.number &* 1000 &+ UInt64(truncatingIfNeeded: stream)
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns a number from zero up to, but not including, a bound.
    package mutating func below(_ bound: Int) -> Int {
        Int(next() % UInt64(bound))
    }

    package mutating func number(in range: ClosedRange<Int>) -> Int {
        range.lowerBound + below(range.count)
    }

    /// Returns `true` once in a number of calls, on average.
    package mutating func oneIn(_ count: Int) -> Bool {
        below(count) == 0
    }

    /// Returns one of the elements, of which there must be at least one.
    package mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[below(elements.count)]
    }

    /// Returns one of the choices, with a probability in proportion to its weight.
    package mutating func pick<Choice>(weighted choices: [(choice: Choice, weight: Int)]) -> Choice
    {
        var number = below(choices.reduce(0) { $0 + $1.weight })
        var index = 0
        while number >= choices[index].weight {
            number -= choices[index].weight
            index += 1
        }
        return choices[index].choice
    }
}
