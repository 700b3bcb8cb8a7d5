/// Measures the duration of each of many single reads, with or without another thread that commits.
///
/// Each duration includes the time to read the clock, on both sides of a comparison.
struct LatencyProbe<Subject: CacheSubject<Book<Int>>>: Sendable {
    private let subject: Subject
    private let values: [Book<Int>]
    private let order: [Int]

    init(_ subject: Subject, scale: Scale) {
        self.subject = subject
        let entities = 0..<scale(1_000_000)
        subject.ingest(Book.books(entities))
        values = Book.books(entities, edition: 1)
        order = Row.randomOrder(of: entities, count: scale(300_000))
    }

    /// Measures each read of a random order.
    func readAlone() -> LatencyHistogram {
        var reads = LatencyHistogram()
        for id in order { reads.record(timeOfRead(id)) }
        return reads
    }

    /// Returns the nanoseconds of a commit without other activity.
    func commitAlone() -> Double {
        let start = Stopwatch.now
        subject.ingest(values)
        return Double(Stopwatch.now - start)
    }

    /// Measures each read from the start of another thread's commit to its end.
    func readDuringCommit() -> LatencyHistogram {
        timesDuringCommit { blackHole(subject.get($0)) }
    }

    /// Measures each operation from the start of another thread's commit to its end.
    ///
    /// - Parameter operate: Carries out one operation on the entity with an identifier.
    func timesDuringCommit(
        of operate: @escaping @Sendable (_ id: Int) -> Void
    ) -> LatencyHistogram {
        Threads.times(for: order, of: operate) { subject.ingest(values) }
    }

    private func timeOfRead(_ id: Int) -> UInt64 {
        let start = Stopwatch.now
        blackHole(subject.get(id))
        return Stopwatch.now - start
    }
}
