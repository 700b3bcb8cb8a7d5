/// The identifiers of requested values, in order and the same in every run.
struct Trace: Equatable, Sendable {
    let requests: [Int]

    init(_ requests: [Int]) { self.requests = requests }

    /// Returns requests that follow Zipf's law: most of them are for few of the identifiers.
    static func zipf(requests: Int, ids: Int, exponent: Double, seed: UInt64 = 1) -> Trace {
        let distribution = ZipfDistribution(count: ids, exponent: exponent)
        var random = SeededGenerator(seed: seed)
        return Trace((0..<requests).map { _ in distribution.next(using: &random) })
    }

    /// Returns the same requests with a scan after each interval.
    ///
    /// A scan consists of requests for new identifiers, each of which occurs only once.
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

    /// Returns the number of requests that a cache misses.
    ///
    /// - Parameter isHit: Requests a value from the cache, which then keeps it; returns whether the
    ///   cache had it.
    func misses(_ isHit: (Int) -> Bool) -> Int {
        requests.count { !isHit($0) }
    }
}
