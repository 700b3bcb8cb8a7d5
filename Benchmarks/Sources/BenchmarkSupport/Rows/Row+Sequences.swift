import FlatCache

extension Row {
    /// Rows that measure the cost of notifying a task that awaits changes.
    static let sequenceRows = [
        Row("15e", "cached.values, per delivered change", against: "AsyncStream, newest 1") {
            consumers(sets: $0(100_000) / 1_000, .bufferingNewest(1), beginnings: 1, \.values)
        },
        Row("15f", "cached.changes, per delivered change", against: "AsyncStream, unbounded") {
            consumers(sets: $0(100_000) / 1_000, .unbounded, beginnings: 0, \.changes)
        },
        Row(
            "15g",
            "cache.changes(of:), per change in batches of 1,000",
            against: lockedDictionary + " and an AsyncStream"
        ) { scale in
            let batches = scale(100_000) / 1_000
            let books = Book.books(0..<1_000)
            let streamed = streamed(books)
            let cached = changed(books)
            return Contest {
                streamed.measure(commits: batches)
            } subject: {
                cached.measure(commits: batches)
            }
        },
    ]

    /// Creates a contest in which each `set` wakes 1,000 tasks that await changes of one entity.
    private static func consumers<Element: Sendable>(
        sets: Int,
        _ policy: AsyncStream<Book<Int>>.Continuation.BufferingPolicy,
        beginnings: Int,
        _ sequence: (Cached<Book<Int>>) -> CacheSequence<Element>
    ) -> Contest {
        let streams = streams(1_000, policy)
        let sequences = sequences(1_000, beginnings: beginnings, sequence)
        return Contest {
            streams.measure(commits: sets)
        } subject: {
            sequences.measure(commits: sets)
        }
    }

    private static func sequences<Element: Sendable>(
        _ count: Int,
        beginnings: Int,
        _ sequence: (Cached<Book<Int>>) -> CacheSequence<Element>
    ) -> Deliveries {
        let cache = Cache()
        let handle = cache.cached(Book<Int>.self, id: 1)
        let consumers = Consumers(
            of: (0..<count).map { _ in sequence(handle) },
            beginnings: beginnings
        )
        return Deliveries(count, counting: consumers.count) { book in
            consumers.wait(for: count) { cache.set(book) }
        }
    }

    private static func streams(
        _ count: Int,
        _ policy: AsyncStream<Book<Int>>.Continuation.BufferingPolicy
    ) -> Deliveries {
        let dictionary = LockedDictionary<Book<Int>>()
        let streams = (0..<count).map { _ in
            AsyncStream.makeStream(of: Book<Int>.self, bufferingPolicy: policy)
        }
        let consumers = Consumers(of: streams.map(\.stream))
        return Deliveries(count, counting: consumers.count) { book in
            consumers.wait(for: count) {
                dictionary.set(book)
                for (_, continuation) in streams { continuation.yield(book) }
            }
        }
    }

    /// Creates a task that awaits all changes of a type.
    private static func changed(_ books: [Book<Int>]) -> Deliveries {
        let cache = Cache()
        let consumers = Consumers(of: [cache.changes(of: Book<Int>.self)])
        return Deliveries(books.count, counting: consumers.count) { _ in
            consumers.wait(for: books.count) { cache.set(contentsOf: books) }
        }
    }

    private static func streamed(_ books: [Book<Int>]) -> Deliveries {
        let dictionary = LockedDictionary<Book<Int>>()
        let (stream, continuation) = AsyncStream.makeStream(of: Book<Int>.self)
        let consumers = Consumers(of: [stream])
        return Deliveries(books.count, counting: consumers.count) { _ in
            consumers.wait(for: books.count) {
                dictionary.ingest(books)
                for book in books { continuation.yield(book) }
            }
        }
    }
}
