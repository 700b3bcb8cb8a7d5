extension Row {
    /// Rows that look up values by identifier on one thread.
    static let readingRows = [
        Row("1", "get, 1,000 entities", against: lockedDictionary, target: 1.3) { scale in
            integers(entities: scale(1_000), operations: scale(500_000))
        },
        Row("2a", "get, 100,000 entities", against: lockedDictionary, target: 1.15) { scale in
            integers(entities: scale(100_000), operations: scale(500_000))
        },
        Row("2b", "get, 1,000,000 entities", against: lockedDictionary, target: 1.15) { scale in
            integers(entities: scale(1_000_000), operations: scale(500_000))
        },
        Row("3", "get, String ids, 100,000 entities", against: lockedDictionary, target: 1.15) {
            strings(entities: $0(100_000), operations: $0(500_000))
        },
    ]

    private static func integers(entities: Int, operations: Int) -> Contest {
        lookups(
            LockedDictionary<Book<Int>>(),
            FlatCacheSubject<Book<Int>>(),
            values: Book.books(0..<entities),
            order: randomOrder(of: 0..<entities, count: operations)
        )
    }

    private static func strings(entities: Int, operations: Int) -> Contest {
        // These strings are separate from the stored ones, as in a response, so that a comparison
        // must read them.
        let ids = (0..<entities).map(Texts.identifier)
        return lookups(
            LockedDictionary<Book<String>>(),
            FlatCacheSubject<Book<String>>(),
            values: (0..<entities).map { Book(id: Texts.identifier($0), number: $0) },
            order: randomOrder(of: ids, count: operations)
        )
    }

    static func lookups<Baseline: CacheSubject, Subject: CacheSubject>(
        _ baseline: Baseline,
        _ subject: Subject,
        values: [Subject.Value],
        order: [Subject.Value.ID]
    ) -> Contest where Baseline.Value == Subject.Value {
        baseline.ingest(values)
        subject.ingest(values)
        return Contest {
            Stopwatch.nanoseconds(per: order.count) { readAll(baseline, order) }
        } subject: {
            Stopwatch.nanoseconds(per: order.count) { readAll(subject, order) }
        }
    }

    static func randomOrder<Element>(
        of elements: some Collection<Element>,
        count: Int
    ) -> [Element] {
        var random = SeededGenerator(seed: 1)
        return random.order(of: elements, count: count)
    }
}

/// Lookups in the locked dictionary, the unit of rows about other operations than reads.
struct LookupBaseline {
    private let dictionary = LockedDictionary<Book<Int>>()
    private let order: [Int]

    init(_ scale: Scale) {
        let entities = scale(100_000)
        dictionary.ingest(Book.books(0..<entities))
        order = Row.randomOrder(of: 0..<entities, count: scale(500_000))
    }

    /// Returns the nanoseconds per lookup.
    func measure() -> Double {
        Stopwatch.nanoseconds(per: order.count) { readAll(dictionary, order) }
    }
}
