extension Row {
    /// Rows that measure the effect of a thread that commits faster than its observers work on
    /// another thread.
    static let overloadRows = [
        overload("24a", "observe beside an overloading writer, longest", against: "10 ms", 10e6) {
            Double($0.observing.maximum)
        },
        overload("24b", "set beside an overloading writer, longest", against: "10 ms", 10e6) {
            Double($0.setting.maximum)
        },
        overload("24c", "the same, 99.9th percentile", against: "10 ms", 10e6) {
            Double($0.setting.percentile(0.999))
        },
        overload(
            "24d",
            "commits that wait for their observers, most",
            against: "the queue's limit",
            64,
            unit: .commits
        ) { Double($0.backlog) },
    ]

    private static func overload(
        _ name: String,
        _ title: String,
        against baseline: String,
        _ bound: Double,
        unit: Unit = .nanoseconds,
        result: @escaping @Sendable (OverloadedCache.Finding) -> Double
    ) -> Row {
        Row(name, title, against: baseline, unit: unit) { scale in
            let cache = OverloadedCache()
            return Contest {
                bound
            } subject: {
                result(cache.measure(rounds: scale(slow: 10_000)))
            }
        }
    }
}
