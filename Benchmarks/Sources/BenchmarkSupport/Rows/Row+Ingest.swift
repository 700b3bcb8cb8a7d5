extension Row {
    /// Rows that write batches of values that merge with stored ones.
    static let ingestRows = [
        Row(
            "7a",
            "ingest of 100,000 new Mergeable values",
            against: "a merging loop under one lock",
            target: 1.1
        ) { scale in
            let values = MergeableBook.books(0..<scale(100_000), edition: 0)
            return Contest {
                ingestNew(MergingDictionary<MergeableBook>.self, values)
            } subject: {
                ingestNew(FlatCacheSubject<MergeableBook>.self, values)
            }
        },
        Row(
            "7b",
            "the same again, all of them merges",
            against: "a merging loop under one lock",
            target: 1.8
        ) { scale in
            let baseline = MergingDictionary<MergeableBook>()
            let subject = FlatCacheSubject<MergeableBook>()
            let entities = 0..<scale(100_000)
            baseline.ingest(MergeableBook.books(entities, edition: 0))
            subject.ingest(MergeableBook.books(entities, edition: 0))
            let newer = MergeableBook.books(entities, edition: 1)
            return Contest {
                ingestAgain(baseline, newer)
            } subject: {
                ingestAgain(subject, newer)
            }
        },
    ]

    // A single ingest is too short to be measured well.
    private static let repetitions = 4

    /// Returns the nanoseconds per value of ingesting values into an empty store.
    ///
    /// Creating and releasing the store doesn't count.
    private static func ingestNew<Subject: CacheSubject>(
        _ type: Subject.Type,
        _ values: [Subject.Value]
    ) -> Double {
        var sum = 0.0
        for _ in 0..<repetitions {
            let subject = Subject()
            sum += Stopwatch.nanoseconds(per: values.count) { subject.ingest(values) }
            withExtendedLifetime(subject) {}
        }
        return sum / Double(repetitions)
    }

    private static func ingestAgain<Subject: CacheSubject>(
        _ subject: Subject,
        _ values: [Subject.Value]
    ) -> Double {
        Stopwatch.nanoseconds(per: repetitions * values.count) {
            for _ in 0..<repetitions { subject.ingest(values) }
        }
    }
}
