import Dispatch
import FlatCache
import FlatCacheDispatch

extension Row {
    /// Rows that deliver changes on another thread than the committing one.
    static let deliveryRows = [
        Row(
            "15h",
            "observe(isolation:), per delivered change",
            against: "a Task that calls the actor"
        ) { scale in
            let sets = scale(100_000) / 1_000
            let direct = tasks(1_000)
            let observed = isolatedObservers(1_000)
            return Contest {
                direct.measure(commits: sets)
            } subject: {
                observed.measure(commits: sets)
            }
        },
        Row("15i", "observe, on a serial queue, per delivered change", against: "queue.async") {
            let sets = $0(100_000) / 1_000
            let direct = blocks(1_000)
            let observed = queuedObservers(1_000)
            return Contest {
                direct.measure(commits: sets)
            } subject: {
                observed.measure(commits: sets)
            }
        },
    ]

    private static func isolatedObservers(_ count: Int) -> Deliveries {
        let cache = Cache()
        let arrivals = Arrivals()
        let receiver = Receiver(arrivals)
        arrivals.wait(for: 1) {
            Task {
                await receiver.observe(cache.cached(Book<Int>.self, id: 1), times: count)
                arrivals.add()
            }
        }
        return Deliveries(count, counting: arrivals.count) { book in
            withExtendedLifetime(receiver) {
                arrivals.wait(for: count) { cache.set(book) }
            }
        }
    }

    private static func tasks(_ count: Int) -> Deliveries {
        let dictionary = LockedDictionary<Book<Int>>()
        let arrivals = Arrivals()
        let receiver = Receiver(arrivals)
        return Deliveries(count, counting: arrivals.count) { book in
            arrivals.wait(for: count) {
                dictionary.set(book)
                for _ in 0..<count {
                    Task { await receiver.receive(book) }
                }
            }
        }
    }

    private static func queuedObservers(_ count: Int) -> Deliveries {
        let cache = Cache()
        let arrivals = Arrivals()
        let queue = DispatchQueue(label: "observers")
        let tokens = (0..<count).map { _ in
            cache.cached(Book<Int>.self, id: 1).observe(delivery: .queue(queue)) { book in
                blackHole(book.pages)
                arrivals.add()
            }
        }
        return Deliveries(count, counting: arrivals.count) { book in
            withExtendedLifetime(tokens) {
                arrivals.wait(for: count) { cache.set(book) }
            }
        }
    }

    private static func blocks(_ count: Int) -> Deliveries {
        let dictionary = LockedDictionary<Book<Int>>()
        let arrivals = Arrivals()
        let queue = DispatchQueue(label: "blocks")
        return Deliveries(count, counting: arrivals.count) { book in
            arrivals.wait(for: count) {
                dictionary.set(book)
                for _ in 0..<count {
                    queue.async {
                        blackHole(book.pages)
                        arrivals.add()
                    }
                }
            }
        }
    }
}

/// An actor that receives changes.
private actor Receiver {
    private let arrivals: Arrivals
    private var observations: [Disposable] = []

    init(_ arrivals: Arrivals) {
        self.arrivals = arrivals
    }

    /// Receives a change directly from the caller.
    func receive(_ book: Book<Int>) {
        blackHole(book.pages)
        arrivals.add()
    }

    /// Receives changes from a cache.
    func observe(_ book: Cached<Book<Int>>, times: Int) {
        let arrivals = arrivals
        observations = (0..<times).map { _ in
            book.observe(isolation: self) { book in
                blackHole(book.pages)
                arrivals.add()
            }
        }
    }
}
