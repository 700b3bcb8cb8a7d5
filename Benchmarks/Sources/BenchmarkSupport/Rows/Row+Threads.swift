extension Row {
    /// Rows that read on two threads concurrently.
    static let threadRows = [
        Row(
            "5",
            "get on 2 threads, 100,000 entities",
            against: lockedDictionary + " on 2 threads",
            target: 0.5
        ) { scale in
            twoThreads(
                LockedDictionary<Book<Int>>(),
                FlatCacheSubject<Book<Int>>(),
                entities: scale(100_000),
                operations: scale(500_000)
            )
        }
    ]

    private static func twoThreads<Baseline: CacheSubject, Subject: CacheSubject>(
        _ baseline: Baseline,
        _ subject: Subject,
        entities: Int,
        operations: Int
    ) -> Contest where Baseline.Value == Book<Int>, Subject.Value == Book<Int> {
        baseline.ingest(Book.books(0..<entities))
        subject.ingest(Book.books(0..<entities))
        // Each thread has its own half of the entities.
        let half = entities / 2
        let orders = [0..<half, half..<entities].map { randomOrder(of: $0, count: operations) }
        return Contest {
            parallel(baseline, orders)
        } subject: {
            parallel(subject, orders)
        }
    }

    /// Returns the nanoseconds per operation of all threads together.
    private static func parallel<Subject: CacheSubject>(
        _ subject: Subject,
        _ orders: [[Int]]
    ) -> Double where Subject.Value == Book<Int> {
        let nanoseconds = Threads.run(orders.count) { thread in
            readAll(subject, orders[thread])
        }
        return Double(nanoseconds) / Double(orders.reduce(0) { $0 + $1.count })
    }
}
