import Testing

@testable import FlatCache

struct OutboxTests {
    private func completions(_ names: [String], _ log: Recorder<String>) -> [Outbox.Item] {
        names.map { name in .completion { log.append(name) } }
    }

    private func run(_ items: [Outbox.Item]) {
        for case .completion(let completion) in items { completion() }
    }

    @Test func oneDeliversAtATimeUntilThereIsNothingLeft() {
        let log = Recorder<String>()
        let outbox = Guarded(Outbox())
        #expect(!outbox.withLock({ $0.beginDelivering() }))
        outbox.withLock { $0.append(completions(["a", "b"], log)) }
        #expect(outbox.withLock({ $0.beginDelivering() }))
        #expect(!outbox.withLock({ $0.beginDelivering() }))
        run(outbox.withLock { $0.next() })
        outbox.withLock { $0.append(completions(["c"], log)) }
        #expect(!outbox.withLock({ $0.beginDelivering() }))
        outbox.withLock { $0.append(completions(["d"], log)) }
        run(outbox.withLock { $0.next() })
        #expect(outbox.withLock({ $0.next() }).isEmpty)
        #expect(log.all == ["a", "b", "c", "d"])

        outbox.withLock { $0.append(completions(["e"], log)) }
        #expect(outbox.withLock({ $0.beginDelivering() }))
        run(outbox.withLock { $0.next() })
        #expect(outbox.withLock({ $0.next() }).isEmpty)
        #expect(!outbox.withLock({ $0.beginDelivering() }))
        #expect(log.all == ["a", "b", "c", "d", "e"])
    }
}
