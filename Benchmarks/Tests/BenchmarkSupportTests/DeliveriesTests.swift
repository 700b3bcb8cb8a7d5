import Dispatch
import Testing

@testable import BenchmarkSupport

struct DeliveriesTests {
    @Test func eachCommitHasAnEditionOfItsOwnAndIsCounted() {
        let tally = Tally()
        var editions: [Int] = []
        let deliveries = Deliveries(2, counting: tally.count) { book in
            editions.append(book.copies)
            tally.add()
            tally.add()
        }
        #expect(deliveries.measure(commits: 3) > 0)
        #expect(deliveries.measure(commits: 1) > 0)
        #expect(editions == [1, 2, 3, 4])
    }

    @Test func deliveryThatIsMissingTraps() async {
        await #expect(processExitsWith: .failure) {
            let tally = Tally()
            let deliveries = Deliveries(2, counting: tally.count) { _ in tally.add() }
            blackHole(deliveries.measure(commits: 3))
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func arrivalsOnOtherThreadsAreAwaited() async {
        let counts = await onAThread {
            let arrivals = Arrivals()
            return (1...100).map { _ in
                arrivals.wait(for: 2) {
                    for _ in 0..<2 {
                        Threads.start { arrivals.add() }
                    }
                }
                return arrivals.count
            }
        }
        #expect(counts == Array(stride(from: 2, through: 200, by: 2)))
    }

    @Test(.timeLimit(.minutes(1)))
    func tasksConsumeInitialAndLaterValues() async {
        let counts = await onAThread {
            let streams = (0..<1_000).map { _ in AsyncStream.makeStream(of: Int.self) }
            for (_, continuation) in streams { continuation.yield(0) }
            let consumers = Consumers(of: streams.map(\.stream), beginnings: 1)
            let beginnings = consumers.count
            consumers.wait(for: 3_000) {
                for number in 1...3 {
                    for (_, continuation) in streams { continuation.yield(number) }
                }
            }
            return [beginnings, consumers.count]
        }
        #expect(counts == [2_000, 5_000])
    }

    @Test(.timeLimit(.minutes(1)))
    func tasksEndWithTheirConsumers() async {
        let haveEnded = await onAThread {
            let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
            let hasEnded = DispatchSemaphore(value: 0)
            continuation.onTermination = { _ in hasEnded.signal() }
            blackHole(Consumers(of: [stream]).count)
            return hasEnded.wait(timeout: .now() + .seconds(50)) == .success
        }
        #expect(haveEnded)
    }

    // Code that waits for tasks must not block the few threads that they share with tests.
    private func onAThread<Result: Sendable>(
        _ body: @escaping @Sendable () -> Result
    ) async -> Result {
        await withCheckedContinuation { returned in
            Threads.start { returned.resume(returning: body()) }
        }
    }
}
