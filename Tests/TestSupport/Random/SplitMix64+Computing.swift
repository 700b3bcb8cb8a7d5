extension SplitMix64 {
    /// Computes up to a number of random numbers, to spend a random time.
    ///
    /// A loop that calls the method meets other threads and processes at moments that vary. A
    /// thread that yielded instead would lose milliseconds at each turn on a busy machine.
    package mutating func compute(atMost count: Int) {
        for _ in 0..<number(in: 0...count) { _ = next() }
    }
}
