import Synchronization

extension Threads {
    /// Measures each operation from the start of another thread's work to its end.
    ///
    /// The operation that is running when the work ends counts as well: it may have waited for that
    /// end.
    ///
    /// - Parameters:
    ///   - numbers: The numbers that the operations receive, over and over again.
    ///   - operate: Carries out one operation.
    ///   - work: The work of the other thread.
    static func times(
        for numbers: [Int],
        of operate: @escaping @Sendable (_ number: Int) -> Void,
        during work: @escaping @Sendable () -> Void
    ) -> LatencyHistogram {
        let progress = WorkProgress()
        run(2) { thread in
            if thread == 0 {
                work()
                progress.end()
            } else {
                progress.note(times(for: numbers, of: operate, until: progress))
            }
        }
        return progress.times
    }

    private static func times(
        for numbers: [Int],
        of operate: (_ number: Int) -> Void,
        until progress: WorkProgress
    ) -> LatencyHistogram {
        var times = LatencyHistogram()
        while true {
            for number in numbers {
                let start = Stopwatch.now
                operate(number)
                times.record(Stopwatch.now - start)
                if progress.hasEnded { return times }
            }
        }
    }
}

/// The end of a thread's work, and the durations of another thread's operations until then.
private final class WorkProgress: Sendable {
    private let ended = Atomic<Bool>(false)
    private let histogram = Mutex(LatencyHistogram())

    var hasEnded: Bool { ended.load(ordering: .acquiring) }
    var times: LatencyHistogram { histogram.withLock { $0 } }

    func end() { ended.store(true, ordering: .releasing) }

    func note(_ times: LatencyHistogram) { histogram.withLock { $0 = times } }
}
