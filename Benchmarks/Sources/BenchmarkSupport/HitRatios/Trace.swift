/// The identifiers of values that are asked for, one after another, the same in every run.
struct Trace: Equatable, Sendable {
    let requests: [Int]

    init(_ requests: [Int]) { self.requests = requests }

    /// Requests of which few identifiers have most.
    static func zipf(requests: Int, ids: Int, exponent: Double, seed: UInt64 = 1) -> Trace {
        let distribution = ZipfDistribution(count: ids, exponent: exponent)
        var random = SeededGenerator(seed: seed)
        return Trace((0..<requests).map { _ in distribution.next(using: &random) })
    }

    /// The same requests, and after each so many of them a scan: others, each for the next one of
    /// the identifiers that nobody asks for before or after.
    func interrupted(every interval: Int, byScansOf length: Int) -> Trace {
        var mixed: [Int] = []
        var nextID = (requests.max() ?? 0) + 1
        for start in stride(from: 0, to: requests.count, by: interval) {
            let end = start + interval
            mixed += requests[start..<min(end, requests.count)]
            guard end <= requests.count else { break }
            mixed += nextID..<(nextID + length)
            nextID += length
        }
        return Trace(mixed)
    }

    /// How many requests a cache cannot answer.
    ///
    /// - Parameter isHit: Asks the cache, which then keeps the value; returns whether it had it.
    func misses(_ isHit: (Int) -> Bool) -> Int {
        requests.count { !isHit($0) }
    }
}
