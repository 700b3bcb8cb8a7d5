#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif
import FlatCache
import FlatCacheCombine

extension Row {
    /// Rows that measure the cost of notifications by a publisher.
    static let publisherRows = [
        Row(
            "15o",
            "cached.publisher and sink, per delivered change",
            against: "a CurrentValueSubject"
        ) { scale in
            let changes = scale(100_000) / 1_000
            let direct = subject(subscribers: 1_000)
            let cached = publisher(subscribers: 1_000)
            return Contest {
                direct.measure(commits: changes)
            } subject: {
                cached.measure(commits: changes)
            }
        }
    ]

    private static func subject(subscribers: Int) -> Deliveries {
        let tally = Tally()
        let subject = CurrentValueSubject<Book<Int>?, Never>(nil)
        let sinks = (0..<subscribers).map { _ in subject.sink { count($0, tally) } }
        return Deliveries(subscribers, counting: tally.count) { book in
            withExtendedLifetime(sinks) { subject.send(book) }
        }
    }

    private static func publisher(subscribers: Int) -> Deliveries {
        let cache = Cache()
        let tally = Tally()
        let book = cache.cached(Book<Int>.self, id: 1)
        let sinks = (0..<subscribers).map { _ in book.publisher.sink { count($0, tally) } }
        return Deliveries(subscribers, counting: tally.count) { book in
            withExtendedLifetime(sinks) { _ = cache.set(book) }
        }
    }

    private static func count(_ book: Book<Int>?, _ tally: Tally) {
        blackHole(book?.pages)
        tally.add()
    }
}
