import FlatCache
import FlatCachePersistence

extension Row {
    /// Rows that write through to a storage in memory.
    static let persistingRows = [
        Row("20a", "persist of an Int, InMemoryStorage", against: "Mutex<[String: Int]>") {
            persists($0) { _, _ in nil }
        },
        Row("20b", "the same with one listener", against: "Mutex<[String: Int]>") {
            persists($0) { persister, tally in
                persister.addUpdateListener { _ in tally.add() }
            }
        },
    ]

    private static func persists(
        _ scale: Scale,
        listen: (Persister<Int>, Tally) -> Disposable?
    ) -> Contest {
        let count = scale(200_000)
        let baseline = LockedNumbers()
        let storage = InMemoryStorage<String, PropertyListValue>()
        let subject = Persister(key: "copies", storedBy: storage, defaultValue: 0)
        let tally = Tally()
        let token = listen(subject, tally)
        var stored = 0
        return Contest {
            Stopwatch.nanoseconds(per: count) { setAll(baseline, 0..<count) }
        } subject: {
            // Each number differs from the one before, so that listeners are notified of each.
            let numbers = (stored + 1)...(stored + count)
            stored += count
            let callsBefore = tally.count
            defer {
                withExtendedLifetime(token) {}
                Tally.check(subject.retrieveValue(), is: stored)
                tally.check(callsBefore + (token == nil ? 0 : count))
            }
            return Stopwatch.nanoseconds(per: count) { persistAll(subject, numbers) }
        }
    }
}

@inline(never)
private func setAll(_ numbers: LockedNumbers, _ values: Range<Int>) {
    for value in values { numbers.set(value, forKey: "copies") }
}

@inline(never)
private func persistAll(_ persister: Persister<Int>, _ values: ClosedRange<Int>) {
    for value in values {
        do {
            try persister.persist(value)
        } catch {
            // The check of the stored number also reports the failure.
            return Failures.note(error)
        }
    }
}
