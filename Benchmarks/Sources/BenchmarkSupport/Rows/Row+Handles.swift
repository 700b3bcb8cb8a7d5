extension Row {
    /// Rows that read through handles, compared with lookups by identifier.
    static let handleRows = [
        Row("4a", "Cached.value, 1,000 entities", against: lockedDictionary, target: 1.0) {
            handles(entities: $0(1_000), operations: $0(500_000))
        },
        Row("4b", "Cached.value, 1,000,000 entities", against: lockedDictionary, target: 0.8) {
            handles(entities: $0(1_000_000), operations: $0(500_000))
        },
    ]

    private static func handles(entities: Int, operations: Int) -> Contest {
        reads(
            LockedDictionary<Book<Int>>(),
            FlatCacheSubject<Book<Int>>(),
            values: Book.books(0..<entities),
            count: operations
        )
    }

    static func reads<Baseline: CacheSubject, Subject: CacheSubject>(
        _ baseline: Baseline,
        _ subject: Subject,
        values: [Subject.Value],
        count: Int
    ) -> Contest where Baseline.Value == Subject.Value {
        baseline.ingest(values)
        subject.ingest(values)
        // The handles are created in the order of the identifiers and read in another order, so
        // that their order in memory differs from the order of the reads.
        let baselineOrder = randomOrder(of: values.map { baseline.handle($0.id) }, count: count)
        let subjectOrder = randomOrder(of: values.map { subject.handle($0.id) }, count: count)
        return Contest {
            Stopwatch.nanoseconds(per: count) { readAll(baseline, through: baselineOrder) }
        } subject: {
            Stopwatch.nanoseconds(per: count) { readAll(subject, through: subjectOrder) }
        }
    }
}
