import FlatCache

extension Row {
    /// Rows that read and write with limits, compared with the same operations without limits.
    static let limitRows = [
        Row("16a", "get, .count, 100,000 entities", against: unlimited, target: 1.1) {
            gets(limited(.count($0(100_000))), $0, entities: 100_000)
        },
        Row("16b", "get, .count, 1,000 entities", against: unlimited, target: 1.1) {
            gets(limited(.count($0(1_000))), $0, entities: 1_000)
        },
        Row("16c", "get, .count and .afterWrite, 100,000", against: unlimited, target: 1.1) {
            gets(
                limited(.count($0(100_000)), expires: .afterWrite(lifetime)),
                $0,
                entities: 100_000
            )
        },
        Row("16d", "get, .afterAccess, 100,000 entities", against: unlimited, target: 1.1) {
            gets(limited(.unlimited, expires: .afterAccess(lifetime)), $0, entities: 100_000)
        },
        Row("16e", "Cached.value, .count, 100,000", against: unlimited, target: 1.1) {
            reads(
                FlatCacheSubject<Book<Int>>(),
                limited(.count($0(100_000))),
                values: Book.books(0..<$0(100_000)),
                count: $0(500_000)
            )
        },
        Row("16f", "get, staleAfter, 100,000 entities", against: unlimited, target: 1) {
            gets(stale(), $0, entities: 100_000)
        },
        Row("16g", "Cached.value, staleAfter, 100,000", against: unlimited, target: 1) {
            reads(
                FlatCacheSubject<Book<Int>>(),
                stale(),
                values: Book.books(0..<$0(100_000)),
                count: $0(500_000)
            )
        },
        Row("17a", "set that replaces, .count, 100,000", against: unlimited, target: 1.3) {
            replacements(limited(.count($0(100_000))), $0)
        },
        Row("17b", "the same, .count and .afterWrite", against: unlimited, target: 1.3) {
            replacements(limited(.count($0(100_000)), expires: .afterWrite(lifetime)), $0)
        },
        Row(
            "17c",
            "set of new ones, each evicts one of 100,000",
            against: "set, and remove of the oldest"
        ) { evictions($0) },
    ]

    private static let unlimited = "FlatCache without limits"
    /// A lifetime longer than any row runs.
    private static let lifetime = Duration.seconds(3_600)

    /// A cache whose values become stale while they are read.
    private static func stale() -> FlatCacheSubject<Book<Int>> {
        FlatCacheSubject(.unlimited, staleAfter: .milliseconds(1))
    }

    private static func limited(
        _ limit: CacheLimit<Book<Int>>,
        expires expiration: CacheExpiration<Book<Int>> = .never
    ) -> FlatCacheSubject<Book<Int>> {
        FlatCacheSubject(limit, expires: expiration)
    }

    private static func gets(
        _ subject: FlatCacheSubject<Book<Int>>,
        _ scale: Scale,
        entities: Int
    ) -> Contest {
        let ids = 0..<scale(entities)
        return lookups(
            FlatCacheSubject<Book<Int>>(),
            subject,
            values: Book.books(ids),
            order: randomOrder(of: ids, count: scale(500_000))
        )
    }

    private static func replacements(
        _ subject: FlatCacheSubject<Book<Int>>,
        _ scale: Scale
    ) -> Contest {
        let ids = 0..<scale(100_000)
        return sets(
            FlatCacheSubject<Book<Int>>(),
            subject,
            stored: Book.books(ids),
            incoming: randomOrder(of: Book.books(ids, edition: 1), count: scale(200_000))
        )
    }

    private static func evictions(_ scale: Scale) -> Contest {
        let count = scale(100_000)
        let baseline = FlatCacheSubject<Book<Int>>()
        let subject = limited(.count(count))
        var newToBaseline = 0..<count
        var newToSubject = newToBaseline
        baseline.ingest(Book.books(newToBaseline))
        subject.ingest(Book.books(newToSubject))
        return Contest {
            newToBaseline = newToBaseline.endIndex..<(newToBaseline.endIndex + count)
            let values = Book.books(newToBaseline)
            return Stopwatch.nanoseconds(per: count) {
                setAll(baseline, values, removingThoseBefore: count)
            }
        } subject: {
            newToSubject = newToSubject.endIndex..<(newToSubject.endIndex + count)
            let values = Book.books(newToSubject)
            defer { Tally.check(subject.cache.count(of: Book<Int>.self), is: count) }
            return Stopwatch.nanoseconds(per: count) { setAll(subject, values) }
        }
    }
}

/// Stores values one by one, and after each removes the value whose identifier is less by a
/// distance.
@inline(never)
private func setAll(
    _ subject: FlatCacheSubject<Book<Int>>,
    _ values: [Book<Int>],
    removingThoseBefore distance: Int
) {
    for value in values {
        subject.set(value)
        subject.cache.remove(Book<Int>.self, id: value.id - distance)
    }
}
