/// A generator of random numbers that gives the same ones for the same seed, everywhere and for
/// ever.
///
/// Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators" (2014).
package struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number from zero up to a bound, which it does not reach.
    package mutating func below(_ bound: Int) -> Int {
        Int(next() % UInt64(bound))
    }

    package mutating func number(in range: ClosedRange<Int>) -> Int {
        range.lowerBound + below(range.count)
    }

    /// True once in so many times.
    package mutating func oneIn(_ times: Int) -> Bool {
        below(times) == 0
    }

    /// One of the elements, of which there must be some.
    package mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[below(elements.count)]
    }
}
