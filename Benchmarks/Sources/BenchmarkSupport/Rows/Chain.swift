import FlatCache

/// A chain of values that each refer to the next, the first of which is observed.
final class Chain {
    private let cache = Cache()
    private let tally = Tally()
    private let token: Disposable
    private let links: Int
    private var edition = 0

    init(links: Int) {
        self.links = links
        cache.set(
            contentsOf: (0...links).lazy.map { id in
                ChainLink(
                    id: id,
                    title: Texts.title(id),
                    next: id < links ? Related(id + 1) : nil
                )
            }
        )
        let tally = tally
        token = cache.cached(ChainLink.self, id: 0).observe { _ in tally.add() }
    }

    /// Returns the nanoseconds per relationship between the changed value and the observed one.
    func measure(updates: Int) -> Double {
        let callsBefore = tally.count
        defer { tally.check(callsBefore + updates) }
        return Stopwatch.nanoseconds(per: updates * links) {
            for _ in 0..<updates {
                edition += 1
                cache.set(ChainLink(id: links, title: Texts.title(edition), next: nil))
            }
        }
    }
}
