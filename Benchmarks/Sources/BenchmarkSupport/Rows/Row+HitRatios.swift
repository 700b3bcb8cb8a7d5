extension Row {
    /// Rows that count the misses of a cache with a limit.
    static let hitRatioRows = [
        Row(
            "18a",
            "misses, Zipf 0.9 over 100,000 ids, room for 10 %",
            against: exactLRU,
            unit: .percent,
            target: 1.0
        ) { misses(of: zipf($0), capacity: $0(10_000)) },
        Row(
            "18b",
            "the same with scans",
            against: exactLRU,
            unit: .percent,
            target: 1.0
        ) { misses(of: scanned(zipf($0)), capacity: $0(10_000)) },
        Row(
            "18c",
            "misses, Zipf 0.9 over 100,000 ids, room for 1 %",
            against: exactLRU,
            unit: .percent,
            target: 1.0
        ) { misses(of: zipf($0), capacity: $0(10_000) / 10) },
        Row(
            "18d",
            "the same with scans",
            against: exactLRU,
            unit: .percent,
            target: 1.0
        ) { misses(of: scanned(zipf($0)), capacity: $0(10_000) / 10) },
    ]

    private static let exactLRU = "exact LRU of the same size"

    private static func zipf(_ scale: Scale) -> Trace {
        .zipf(requests: scale(400_000), ids: scale(100_000), exponent: 0.9)
    }

    // A fifth of these requests is for values that are requested only once.
    private static func scanned(_ trace: Trace) -> Trace {
        let interval = trace.requests.count / 20
        return trace.interrupted(every: interval, byScansOf: interval / 4)
    }

    // The misses are the same in each round, so they are counted once.
    private static func misses(of trace: Trace, capacity: Int) -> Contest {
        let ratios = MissRatios(of: trace, capacity: capacity)
        return Contest(note: ratios.note) {
            100 * ratios.leastRecentlyUsed
        } subject: {
            100 * ratios.flatCache
        }
    }
}
