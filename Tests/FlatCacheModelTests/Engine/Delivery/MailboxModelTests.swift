import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Compares a mailbox with a naive model after each of many random operations.
///
/// `RandomTestSettings` describes how to repeat a failure and how to run for longer.
struct MailboxModelTests {
    static let policies: [BufferingPolicy] = [
        .unbounded, .newest(1), .newest(2), .newest(7), .oldest(1), .oldest(2), .oldest(7),
    ]

    @Test(arguments: policies)
    func randomOperationsMatchANaiveMailbox(policy: BufferingPolicy) async {
        let settings = RandomTestSettings(seeds: 100, steps: 60)
        await settings.run { MailboxRun(policy, seed: $0) }
    }
}

/// A mailbox and its naive model, on which the same operations are performed.
private struct MailboxRun: RandomRun {
    private typealias Effect = NaiveMailbox.Effect
    private typealias Resumption = Mailbox<Int>.Resumption

    private var mailbox: Mailbox<Int>
    private var naive: NaiveMailbox
    private var generator: SplitMix64
    private var lastElement = 0

    init(_ policy: BufferingPolicy, seed: Seed) {
        mailbox = Mailbox(policy)
        naive = NaiveMailbox(policy: policy)
        generator = SplitMix64(seed: seed)
    }

    /// Performs a random operation, and returns a description of the difference from the model, or
    /// `nil`.
    mutating func step() async -> String? {
        generator.oneIn(4) ? await waitForAnElement() : useWithoutWaiting()
    }

    /// Suspends a consumer until an operation wakes it.
    private mutating func waitForAnElement() async -> String? {
        var differences: [String] = []
        let received = await withUnsafeContinuation { waiter in
            let (resumption, expected) = (mailbox.wait(waiter), naive.wait())
            if let problem = difference("wait", (resumption, []), expected) {
                differences.append(problem)
            }
            if let resumption { return resumption() }
            while true {
                let (name, effect, expected) = putOrEnd()
                if let problem = difference(name, effect, expected) { differences.append(problem) }
                if let resumption = effect.resumption { return resumption() }
                // If the mailbox fails to wake a consumer, the test resumes it so that it doesn't
                // hang.
                guard differences.isEmpty else { return waiter.resume(returning: nil) }
            }
        }
        if let first = differences.first { return first }
        return received == nil && !mailbox.hasEnded ? "a consumer was woken without a reason" : nil
    }

    private mutating func useWithoutWaiting() -> String? {
        if generator.oneIn(3) {
            let taken = (mailbox.take(), naive.take())
            return taken.0 == taken.1 ? nil : "take gives \(taken)"
        }
        let (name, effect, expected) = putOrEnd()
        return difference(name, effect, expected)
    }

    private mutating func putOrEnd() -> (
        String, (resumption: Resumption?, displaced: [Int]), NaiveMailbox.Effect
    ) {
        if generator.oneIn(60) { return ("end", (mailbox.end(), []), naive.end()) }
        if generator.oneIn(60) {
            let (resumption, displaced) = mailbox.cancel()
            return ("cancel", (resumption, displaced.compactMap(\.self)), naive.cancel())
        }
        lastElement += 1
        let effect = mailbox.put(lastElement)
        let displaced = effect.displaced.map { [$0] } ?? []
        return ("put", (effect.resumption, displaced), naive.put(lastElement))
    }

    private func difference(
        _ name: String,
        _ effect: (resumption: Resumption?, displaced: [Int]),
        _ expected: Effect
    ) -> String? {
        let actual = Effect(
            wakesConsumer: effect.resumption != nil,
            received: effect.resumption?.element,
            displaced: effect.displaced
        )
        if actual != expected { return "\(name) does \(actual) instead of \(expected)" }
        if mailbox.count != naive.elements.count {
            return "\(name) leaves \(mailbox.count) elements instead of \(naive.elements.count)"
        }
        return mailbox.hasEnded == naive.hasEnded ? nil : "\(name) ends only one of them"
    }
}
