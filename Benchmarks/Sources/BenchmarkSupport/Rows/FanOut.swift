import FlatCache

/// An entity with many observers.
final class FanOut {
    private let cache = Cache()
    private let tally = Tally()
    private let tokens: [Disposable]
    private let title = Texts.title(1)
    private var edition = 0

    /// Creates an entity with observers.
    ///
    /// - Parameters:
    ///   - observers: The number of observers.
    ///   - observe: Begins one observation, which adds to the tally at each call.
    init(observers: Int, _ observe: (Cache, Int, Tally) -> Disposable) {
        cache.set(Book(id: 1, number: 0))
        let cache = cache
        let tally = tally
        tokens = (0..<observers).map { _ in observe(cache, 1, tally) }
    }

    /// Returns the nanoseconds per call of an observer.
    func measure(sets: Int) -> Double {
        let calls = sets * tokens.count
        let callsBefore = tally.count
        defer { tally.check(callsBefore + calls) }
        return Stopwatch.nanoseconds(per: calls) {
            for _ in 0..<sets {
                edition += 1
                cache.set(Book(id: 1, title: title, pages: 0, copies: edition))
            }
        }
    }
}
