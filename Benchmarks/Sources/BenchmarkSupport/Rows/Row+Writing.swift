import FlatCache

extension Row {
    /// Rows of single writes, each of which is a commit.
    static let writingRows = [
        Row("6a", "set that replaces, 100,000 entities", against: lockedDictionary, target: 1.8) {
            scale in
            let entities = 0..<scale(100_000)
            let editions = Book.books(entities, edition: 1)
            return sets(
                LockedDictionary<Book<Int>>(),
                FlatCacheSubject<Book<Int>>(),
                stored: Book.books(entities),
                incoming: randomOrder(of: editions, count: scale(200_000))
            )
        },
        Row(
            "6b",
            "the same, 10,000 observers elsewhere",
            against: "FlatCache without observers",
            target: 1.1
        ) { observedElsewhere($0) },
        Row("6c", "set that replaces, Equatable values", against: lockedDictionary) { scale in
            let entities = 0..<scale(100_000)
            // The values of consecutive passes differ, so that all of them are written.
            let incoming = [1, 0].flatMap { edition in
                randomOrder(
                    of: EquatableBook.books(entities, edition: edition),
                    count: entities.count
                )
            }
            return sets(
                LockedDictionary<EquatableBook>(),
                FlatCacheSubject<EquatableBook>(),
                stored: EquatableBook.books(entities, edition: 0),
                incoming: incoming
            )
        },
    ]

    static func sets<Baseline: CacheSubject, Subject: CacheSubject>(
        _ baseline: Baseline,
        _ subject: Subject,
        stored: [Subject.Value],
        incoming: [Subject.Value]
    ) -> Contest where Baseline.Value == Subject.Value {
        baseline.ingest(stored)
        subject.ingest(stored)
        return Contest {
            Stopwatch.nanoseconds(per: incoming.count) { setAll(baseline, incoming) }
        } subject: {
            Stopwatch.nanoseconds(per: incoming.count) { setAll(subject, incoming) }
        }
    }

    private static func observedElsewhere(_ scale: Scale) -> Contest {
        let entities = scale(100_000)
        let observers = scale(10_000)
        let stored = Book.books(0..<(entities + observers))
        let editions = Book.books(0..<entities, edition: 1)
        let observed = FlatCacheSubject<Book<Int>>()
        let tally = Tally()
        let tokens = (entities..<(entities + observers)).map { id in
            observed.cache.cached(Book<Int>.self, id: id).observe { _ in tally.add() }
        }
        let contest = sets(
            FlatCacheSubject<Book<Int>>(),
            observed,
            stored: stored,
            incoming: randomOrder(of: editions, count: scale(200_000))
        )
        let callsOfIngest = tally.count
        return Contest {
            contest.measureBaseline()
        } subject: {
            defer { withExtendedLifetime(tokens) { tally.check(callsOfIngest) } }
            return contest.measureSubject()
        }
    }
}
