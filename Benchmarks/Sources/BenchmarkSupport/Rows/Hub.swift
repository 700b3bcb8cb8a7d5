import FlatCache

/// An author of many books, one of which is observed.
final class Hub {
    private let cache = Cache()
    private let tally = Tally()
    private let token: Disposable
    private var edition = 0

    init(dependents: Int) {
        cache.set(Novelist(id: 1, name: Texts.title(1), awards: 0))
        cache.set(
            contentsOf: (0..<(dependents + 1)).lazy.map { id in
                Novel(id: id, title: Texts.title(id), author: Related(1))
            }
        )
        let tally = tally
        token = cache.cached(Novel.self, id: dependents / 2).observe { _ in tally.add() }
    }

    /// Returns the nanoseconds per update of the author.
    func measure(updates: Int) -> Double {
        let name = Texts.title(1)
        let callsBefore = tally.count
        defer { tally.check(callsBefore + updates) }
        return Stopwatch.nanoseconds(per: updates) {
            for _ in 0..<updates {
                edition += 1
                cache.set(Novelist(id: 1, name: name, awards: edition))
            }
        }
    }
}
