import FlatCache
import Synchronization

/// A cache whose observers take longer than a commit.
///
/// One thread commits in a loop, and another one occasionally.
struct OverloadedCache: Sendable {
    /// The durations on the other thread, in nanoseconds, and the number of commits that waited for
    /// their observers.
    struct Finding: Sendable {
        var observing = LatencyHistogram()
        var setting = LatencyHistogram()
        var backlog = 0
    }

    private let cache = Cache()
    private let tokens: [Disposable]
    private let committed = Counter()
    private let delivered = Counter()

    private final class Counter: Sendable {
        let count = Atomic(0)
    }

    /// Creates a cache in which one entity has ten observers that take a microsecond each.
    init() {
        let cache = cache
        cache.set(contentsOf: Book.books(0..<2))
        var tokens = (0..<10).map { _ in
            cache.cached(Book<Int>.self, id: 0).observe { _ in
                let end = Stopwatch.now + 1_000
                while Stopwatch.now < end {}
            }
        }
        tokens.append(
            cache.cached(Book<Int>.self, id: 0).observe { [delivered] _ in
                delivered.count.add(1, ordering: .relaxed)
            }
        )
        self.tokens = tokens
    }

    /// Lets one thread set the observed entity in a loop, while another thread occasionally
    /// observes and sets the other entity.
    func measure(rounds: Int) -> Finding {
        let mustGoOn = Atomic(true)
        let finding = Mutex(Finding())
        Threads.run(2) { thread in
            if thread == 0 {
                var edition = 0
                while mustGoOn.load(ordering: .relaxed) {
                    edition += 1
                    cache.set(Book(id: 0, number: 0, edition: edition))
                    committed.count.add(1, ordering: .relaxed)
                }
            } else {
                let found = lookOn(rounds: rounds)
                mustGoOn.store(false, ordering: .relaxed)
                finding.withLock { $0 = found }
            }
        }
        return finding.withLock { $0 }
    }

    private func lookOn(rounds: Int) -> Finding {
        var finding = Finding()
        for round in 0..<rounds {
            let start = Stopwatch.now
            let token = cache.cached(Book<Int>.self, id: 1).observe(initial: true) { blackHole($0) }
            let middle = Stopwatch.now
            cache.set(Book(id: 1, number: 1, edition: round))
            finding.setting.record(Stopwatch.now - middle)
            finding.observing.record(middle - start)
            token.dispose()
            let waiting =
                committed.count.load(ordering: .relaxed) - delivered.count.load(ordering: .relaxed)
            finding.backlog = max(finding.backlog, waiting)
            // A screen doesn't observe and set all the time.
            let end = Stopwatch.now + 50_000
            while Stopwatch.now < end {}
        }
        return finding
    }
}
