import Synchronization

/// Times each of many single reads, with or without another thread that commits meanwhile.
///
/// The time that it takes to look at the clock is part of each, on both sides of a comparison.
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

    /// Times each read of a random order.
    func readAlone() -> LatencyHistogram {
        var reads = LatencyHistogram()
        for id in order { reads.record(timeOfRead(id)) }
        return reads
    }

    /// Returns how many nanoseconds a commit takes that nobody disturbs.
    func commitAlone() -> Double {
        let start = Stopwatch.now
        subject.ingest(values)
        return Double(Stopwatch.now - start)
    }

    /// Times each read from the start of another thread's commit to its end.
    func readDuringCommit() -> LatencyHistogram {
        timesDuringCommit { blackHole(subject.get($0)) }
    }

    /// Times each operation from the start of another thread's commit to its end.
    ///
    /// - Parameter operate: Does something with an identifier.
    func timesDuringCommit(
        of operate: @escaping @Sendable (_ id: Int) -> Void
    ) -> LatencyHistogram {
        let progress = CommitProgress()
        Threads.run(2) { thread in
            if thread == 0 {
                subject.ingest(values)
                progress.end()
            } else {
                progress.note(times(of: operate, until: progress))
            }
        }
        return progress.times
    }

    // The operation that the commit's end finds under way belongs to it: it may have waited for that
    // end.
    private func times(
        of operate: (_ id: Int) -> Void,
        until progress: CommitProgress
    ) -> LatencyHistogram {
        var times = LatencyHistogram()
        while true {
            for id in order {
                let start = Stopwatch.now
                operate(id)
                times.record(Stopwatch.now - start)
                if progress.hasEnded { return times }
            }
        }
    }

    private func timeOfRead(_ id: Int) -> UInt64 {
        let start = Stopwatch.now
        blackHole(subject.get(id))
        return Stopwatch.now - start
    }
}

/// Whether a commit goes on, and how long the operations of another thread took meanwhile.
private final class CommitProgress: Sendable {
    private let ended = Atomic<Bool>(false)
    private let histogram = Mutex(LatencyHistogram())

    var hasEnded: Bool { ended.load(ordering: .acquiring) }
    var times: LatencyHistogram { histogram.withLock { $0 } }

    func end() { ended.store(true, ordering: .releasing) }

    func note(_ times: LatencyHistogram) { histogram.withLock { $0 = times } }
}
