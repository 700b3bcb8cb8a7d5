extension Row {
    /// Batches of values that are merged with what is there.
    static let ingestRows = [
        Row(
            "7a",
            "ingest of 100,000 new Mergeable values",
            against: "a merging loop under one lock",
            target: 1.6
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
            target: 1.5
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

    // One ingest takes too short a time to be measured well on its own.
    private static let repetitions = 4

    /// Nanoseconds per value of ingesting them into an empty store, which is built and released
    /// outside the time that counts.
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
