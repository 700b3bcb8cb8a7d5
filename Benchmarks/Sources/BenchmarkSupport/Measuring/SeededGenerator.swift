/// Random numbers that are the same in every run (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    /// Creates a generator.
    init(seed: UInt64) { state = seed }

    /// Returns the next number.
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

extension SeededGenerator {
    /// Returns a number of elements: all elements of a collection in random order, repeatedly.
    mutating func order<Element>(of elements: some Collection<Element>, count: Int) -> [Element] {
        guard !elements.isEmpty else { return [] }
        var order: [Element] = []
        order.reserveCapacity(count + elements.count)
        while order.count < count { order += elements.shuffled(using: &self) }
        return Array(order.prefix(count))
    }
}
