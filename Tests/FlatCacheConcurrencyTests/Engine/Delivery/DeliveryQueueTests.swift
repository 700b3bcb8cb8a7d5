import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

@Suite(.exclusive)
struct DeliveryQueueTests {
    let made = Recorder<Int>()
    let scheduler = ManualScheduler()

    private func calls(_ numbers: Int...) -> [@Sendable () -> Void] {
        numbers.map { number in { [made] in made.append(number) } }
    }

    /// Makes a call that adds the next call to the queue, up to a number.
    @Sendable
    private static func chain(_ queue: DeliveryQueue, _ made: Recorder<Int>, upTo last: Int) {
        let number = made.count + 1
        made.append(number)
        guard number < last else { return }
        queue.append([{ chain(queue, made, upTo: last) }])
        queue.deliverCalls()
    }

    @Test func threadDeliversInline() {
        let queue = DeliveryQueue(.inline)
        queue.append(calls(1, 2))
        #expect(made.all == [])
        queue.deliverCalls()
        #expect(made.all == [1, 2])
    }

    @Test func noCallIsMadeBeforeTheScheduledClosureRuns() {
        let queue = DeliveryQueue(scheduler.delivery)
        queue.append(calls(1, 2))
        queue.deliverCalls()
        #expect(made.all == [])
        scheduler.runAll()
        #expect(made.all == [1, 2])
    }

    @Test func emptyQueueSchedulesNothing() {
        DeliveryQueue(scheduler.delivery).deliverCalls()
        #expect(scheduler.count == 0)
    }

    @Test func oneClosureIsScheduledAtATime() {
        let queue = DeliveryQueue(scheduler.delivery)
        for number in 1...3 {
            queue.append(calls(number))
            queue.deliverCalls()
        }
        #expect(scheduler.count == 1)
        scheduler.runNext()
        #expect(made.all == [1, 2, 3])
        #expect(scheduler.count == 0)

        queue.append(calls(4))
        queue.deliverCalls()
        #expect(scheduler.count == 1)
        scheduler.runNext()
        #expect(made.all == [1, 2, 3, 4])
    }

    @Test func scheduledClosureMakesCallsThatItsCallsAdd() {
        let queue = DeliveryQueue(scheduler.delivery)
        queue.append([
            { [made, scheduler] in
                queue.append([{ made.append(2) }])
                queue.deliverCalls()
                #expect(made.all == [])
                #expect(scheduler.count == 0)
                made.append(1)
            }
        ])
        queue.deliverCalls()
        scheduler.runNext()
        #expect(made.all == [1, 2])
        #expect(scheduler.count == 0)
    }

    @Test func schedulerHasItsTurnAfterManyCommits() {
        let queue = DeliveryQueue(scheduler.delivery)
        let commits = DeliveryQueue.commitsAtATime
        let last = 2 * commits + 1
        queue.append([{ [made] in Self.chain(queue, made, upTo: last) }])
        queue.deliverCalls()
        for turn in 1...2 {
            scheduler.runNext()
            #expect(made.count == turn * commits)
            #expect(scheduler.count == 1)
        }
        scheduler.runNext()
        #expect(made.all == Array(1...last))
        #expect(scheduler.count == 0)
    }

    @Test(.timeLimit(.minutes(15)), arguments: Scheduler.allCases)
    func callsThatAddCallsDoNotGrowTheStack(scheduler: Scheduler) async {
        let last = 100_000
        let queue = DeliveryQueue(scheduler.delivery)
        queue.append([{ [made] in Self.chain(queue, made, upTo: last) }])
        let thread = RunningThread(stackSize: 1 << 19) { queue.deliverCalls() }
        #expect(await until { made.count == last && thread.hasEnded })
        #expect(made.all == Array(1...last))
    }

    @Test(.timeLimit(.minutes(15)), arguments: Scheduler.allCases)
    func callsOfManyThreadsAreInOrderAndOneAtATime(scheduler: Scheduler) async {
        let threads = 4
        let each = 500
        let queue = DeliveryQueue(scheduler.delivery)
        let counter = OverlapCounter()
        let appended = Locked(0)
        let writers = (0..<threads).map { _ in
            RunningThread { [made] in
                for _ in 0..<each {
                    appended.withLock { number in
                        number += 1
                        queue.append([{ [number] in counter.pass { made.append(number) } }])
                    }
                    queue.deliverCalls()
                }
            }
        }
        #expect(await until { made.count == threads * each && writers.allSatisfy(\.hasEnded) })
        #expect(made.all == Array(1...threads * each))
        #expect(counter.most == 1)
    }

    @Test("Calls are made even if no thread delivers any longer")
    func leftovers() async {
        let queue = DeliveryQueue(.inline)
        let isInside = Signal()
        let mayEnd = Signal()
        queue.append([
            { [made] in
                isInside.fire()
                #expect(mayEnd.wait())
                made.append(1)
            }
        ])
        let deliverer = RunningThread { queue.deliverCalls() }
        #expect(isInside.wait())
        // The deliverer ends after its own call, and this thread doesn't return to the queue.
        queue.append(calls(2))
        queue.deliverCalls()
        #expect(made.all == [])
        mayEnd.fire()
        #expect(await until { made.count == 2 && deliverer.hasEnded })
        #expect(made.all == [1, 2])
    }

    @Test("A call that waits for a lock of an overloading thread is no deadlock")
    func blockedDeliverer() async {
        let queue = DeliveryQueue(.inline)
        let isInside = Signal()
        let isUnlocked = Signal()
        queue.append([
            {
                isInside.fire()
                #expect(isUnlocked.wait())
            }
        ])
        let deliverer = RunningThread { queue.deliverCalls() }
        #expect(isInside.wait())
        // These calls stand for ones made under a lock for which the call above waits. None may
        // wait for it.
        for number in 1...Int(DeliveryQueueState.overload) + 8 {
            queue.append(calls(number))
            queue.deliverCalls()
        }
        #expect(made.all == [])
        isUnlocked.fire()
        #expect(await until { queue.backlog == 0 && deliverer.hasEnded })
        #expect(made.all == Array(1...Int(DeliveryQueueState.overload) + 8))
    }

    @Test func queueLivesUntilItsCallsAreMade() {
        weak var weakQueue: DeliveryQueue?
        do {
            let queue = DeliveryQueue(scheduler.delivery)
            weakQueue = queue
            queue.append(calls(1))
            queue.deliverCalls()
        }
        #expect(weakQueue != nil)
        scheduler.runAll()
        #expect(made.all == [1])
        #expect(weakQueue == nil)
    }
}
