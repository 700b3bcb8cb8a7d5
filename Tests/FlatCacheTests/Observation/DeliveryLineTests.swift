import Testing

@testable import FlatCache

struct DeliveryLineTests {
    let made = Recorder<Int>()
    let scheduler = ManualScheduler()

    private func calls(_ numbers: Int...) -> [Outbox.Item] {
        numbers.map { number in .completion { [made] in made.append(number) } }
    }

    @Sendable private static func make(_ item: Outbox.Item) {
        if case .completion(let completion) = item { completion() }
    }

    /// Makes a call that puts another one into the line, a number of times.
    @Sendable
    private static func chain(_ line: DeliveryLine, _ made: Recorder<Int>, upTo last: Int) {
        let number = made.count + 1
        made.append(number)
        if number < last { line.append([.completion { chain(line, made, upTo: last) }]) }
    }

    @Test func withoutASchedulerTheCallsAreMadeAtOnce() {
        let line = DeliveryLine(.inline)
        line.append(calls(1, 2))
        #expect(made.all == [])
        line.deliver(Self.make)
        #expect(made.all == [1, 2])
    }

    @Test func noCallIsMadeBeforeTheScheduledClosureRuns() {
        let line = DeliveryLine(scheduler.delivery)
        line.append(calls(1, 2))
        line.deliver(Self.make)
        #expect(made.all == [])
        scheduler.runAll()
        #expect(made.all == [1, 2])
    }

    @Test func nothingIsScheduledWhenNoCallIsDue() {
        DeliveryLine(scheduler.delivery).deliver(Self.make)
        #expect(scheduler.count == 0)
    }

    @Test func oneClosureIsScheduledAtATime() {
        let line = DeliveryLine(scheduler.delivery)
        for number in 1...3 {
            line.append(calls(number))
            line.deliver(Self.make)
        }
        #expect(scheduler.count == 1)
        scheduler.runNext()
        #expect(made.all == [1, 2, 3])
        #expect(scheduler.count == 0)

        line.append(calls(4))
        line.deliver(Self.make)
        #expect(scheduler.count == 1)
        scheduler.runNext()
        #expect(made.all == [1, 2, 3, 4])
    }

    @Test func whatComesWhileCallsAreMadeIsMadeByTheSameClosure() {
        let line = DeliveryLine(scheduler.delivery)
        line.append([
            .completion { [made, scheduler] in
                line.append([.completion { made.append(2) }])
                line.deliver(Self.make)
                #expect(made.all == [])
                #expect(scheduler.count == 0)
                made.append(1)
            }
        ])
        line.deliver(Self.make)
        scheduler.runNext()
        #expect(made.all == [1, 2])
        #expect(scheduler.count == 0)
    }

    @Test func theSchedulerHasItsTurnAfterManyRounds() {
        let line = DeliveryLine(scheduler.delivery)
        let rounds = DeliveryLine.roundsAtATime
        let last = 2 * rounds + 1
        line.append([.completion { [made] in Self.chain(line, made, upTo: last) }])
        line.deliver(Self.make)
        for turn in 1...2 {
            scheduler.runNext()
            #expect(made.count == turn * rounds)
            #expect(scheduler.count == 1)
        }
        scheduler.runNext()
        #expect(made.all == Array(1...last))
        #expect(scheduler.count == 0)
    }

    @Test(.timeLimit(.minutes(10)), arguments: Scheduler.allCases)
    func callsThatBringOthersDoNotGrowTheStack(scheduler: Scheduler) async {
        let last = 100_000
        let line = DeliveryLine(scheduler.delivery)
        line.append([.completion { [made] in Self.chain(line, made, upTo: last) }])
        let thread = RunningThread(stackSize: 1 << 19) { line.deliver(Self.make) }
        #expect(await soon { made.count == last && thread.hasEnded })
        #expect(made.all == Array(1...last))
    }

    @Test(.timeLimit(.minutes(10)), arguments: Scheduler.allCases)
    func whateverTheThreadsCallsAreMadeInOrderAndOneAtATime(scheduler: Scheduler) async {
        let threads = 4
        let each = 500
        let line = DeliveryLine(scheduler.delivery)
        let crowd = Crowd()
        let appended = Guarded(0)
        let writers = (0..<threads).map { _ in
            RunningThread { [made] in
                for _ in 0..<each {
                    appended.withLock { number in
                        number += 1
                        line.append([
                            .completion { [number] in crowd.pass { made.append(number) } }
                        ])
                    }
                    line.deliver(Self.make)
                }
            }
        }
        #expect(await soon { made.count == threads * each && writers.allSatisfy(\.hasEnded) })
        #expect(made.all == Array(1...threads * each))
        #expect(crowd.most == 1)
    }

    @Test func itStaysWhileCallsAreDueAndGoesThen() {
        weak var weakLine: DeliveryLine?
        do {
            let line = DeliveryLine(scheduler.delivery)
            weakLine = line
            line.append(calls(1))
            line.deliver(Self.make)
        }
        #expect(weakLine != nil)
        scheduler.runAll()
        #expect(made.all == [1])
        #expect(weakLine == nil)
    }
}
