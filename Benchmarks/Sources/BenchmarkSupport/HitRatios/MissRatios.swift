import FlatCache

/// The share of a trace's requests that caches of the same size miss.
struct MissRatios {
    let flatCache: Double
    let leastRecentlyUsed: Double
    let optimum: Double

    /// Replays a trace and stores each missing value.
    init(of trace: Trace, capacity: Int) {
        let requests = Double(max(1, trace.requests.count))
        let cache = FlatCacheSubject<Book<Int>>(.count(capacity))
        flatCache =
            Double(
                trace.misses { id in
                    if cache.get(id) != nil { return true }
                    cache.set(Book(id: id, title: "", pages: 0, copies: 0))
                    return false
                }
            ) / requests
        var reference = LeastRecentlyUsed(capacity: capacity)
        leastRecentlyUsed = Double(trace.misses { reference.request($0) }) / requests
        optimum = Double(OptimalReplacement.misses(in: trace, capacity: capacity)) / requests
    }

    /// The hit ratios in words.
    var note: String {
        let names = [("FlatCache", flatCache), ("LRU", leastRecentlyUsed), ("optimum", optimum)]
        let ratios = names.map { "\($0) \(Format.measurement(100 * (1 - $1), .percent))" }
        return "hits: " + ratios.joined(separator: ", ")
    }
}
