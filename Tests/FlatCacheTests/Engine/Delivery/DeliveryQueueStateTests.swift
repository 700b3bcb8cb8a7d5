import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

@Suite(.unperturbed)
struct DeliveryQueueStateTests {
    private var state = DeliveryQueueState()
    private var awakened = DeliveryQueueState.Awakened()
    // The numbers of three threads.
    private let anna: UInt = 1
    private let ben: UInt = 2
    private let cleo: UInt = 3

    /// Delivers until the deliverer ends.
    ///
    /// - Returns: The number of delivered commits, and whether the deliverer leaves the rest to a
    ///   new thread.
    private mutating func deliver() -> (count: Int, startsThread: Bool) {
        var count = 0
        var hasDelivered = false
        while true {
            switch state.next(hasDelivered: hasDelivered, awakened: &awakened) {
            case .deliver:
                count += 1
                hasDelivered = true
            case .end: return (count, false)
            case .startThread: return (count, true)
            }
        }
    }

    @discardableResult
    private mutating func append(_ count: Int = 1) -> DeliveryTicket {
        for _ in 1..<max(1, count) { _ = state.append([.action {}]) }
        return state.append([.action {}])
    }

    @Test mutating func threadDeliversUpToItsOwnCommitAndAFewMore() {
        append()
        let own = append()
        let other = append(DeliveryQueueState.maximumExtra + 1)
        let role = state.join(anna, through: own, sleeper: nil)
        #expect(role == .deliver)
        let otherRole = state.join(ben, through: other, sleeper: nil)
        #expect(otherRole == .none)
        let (count, startsThread) = deliver()
        #expect(count == 2 + DeliveryQueueState.maximumExtra)
        #expect(startsThread)
        #expect(state.backlog == 1)
    }

    @Test mutating func deliveredCommitNeedsNoDeliverer() {
        let ticket = append()
        let outcome3 = state.join(anna, through: ticket, sleeper: nil)
        #expect(outcome3 == .deliver)
        let outcome4 = deliver()
        #expect(outcome4 == (1, false))
        let outcome5 = state.join(ben, through: ticket, sleeper: nil)
        #expect(outcome5 == .none)
    }

    @Test mutating func nestedCommitExtendsTheTarget() {
        let outer = append()
        let outcome6 = state.join(anna, through: outer, sleeper: nil)
        #expect(outcome6 == .deliver)
        let nested = append()
        let outcome7 = state.join(anna, through: nested, sleeper: nil)
        #expect(outcome7 == .none)
        let outcome8 = deliver()
        #expect(outcome8 == (2, false))
        #expect(state.backlog == 0)
    }

    @Test mutating func overloadedQueueLetsThreadsWait() {
        let first = append()
        let outcome9 = state.join(anna, through: first, sleeper: nil)
        #expect(outcome9 == .deliver)
        let last = append(Int(DeliveryQueueState.overload) - 2)
        let outcome10 = state.join(ben, through: last, sleeper: nil)
        #expect(outcome10 == .none)
        let tooMuch = append()
        let outcome11 = state.join(ben, through: tooMuch, sleeper: nil)
        #expect(outcome11 == .wait)
    }

    @Test mutating func waiterWithTheLowestTicketDeliversNext() {
        let first = append()
        _ = state.join(anna, through: first, sleeper: nil)
        append(Int(DeliveryQueueState.overload))
        let (early, late) = (SleepingThread(), SleepingThread())
        let earlyTicket = append()
        let lateTicket = append()
        let lateRole = state.join(cleo, through: lateTicket, sleeper: late)
        #expect(lateRole == .wait)
        let earlyRole = state.join(ben, through: earlyTicket, sleeper: early)
        #expect(earlyRole == .wait)

        let ending = deliver()
        #expect(ending == (1, false))
        #expect(awakened.threads.count == 1)
        #expect(awakened.threads.first === early)
        let isLateTurn = state.endWaiting(late, cleo)
        #expect(!isLateTurn)
        let isEarlyTurn = state.endWaiting(early, ben)
        #expect(isEarlyTurn)
        let (count, startsThread) = deliver()
        // Cleo has stopped waiting, so Ben delivers her commit, too.
        #expect(count == Int(DeliveryQueueState.overload) + 2)
        #expect(!startsThread)
        #expect(state.backlog == 0)
    }

    @Test mutating func deliveredWaiterIsWoken() {
        let first = append()
        _ = state.join(anna, through: first, sleeper: nil)
        let last = append(Int(DeliveryQueueState.overload))
        let sleeper = SleepingThread()
        let role = state.join(ben, through: last, sleeper: sleeper)
        #expect(role == .wait)
        // Anna writes from inside an observer, after Ben.
        let nested = append()
        let nestedRole = state.join(anna, through: nested, sleeper: nil)
        #expect(nestedRole == .none)
        _ = deliver()
        #expect(awakened.threads.count == 1)
        let isTurn = state.endWaiting(sleeper, ben)
        #expect(!isTurn)
        #expect(state.backlog == 0)
    }

    @Test("A task that waits for the deliveries is woken when the deliverer has ended")
    mutating func taskAfterTheDeliverer() {
        let first = append()
        _ = state.join(anna, through: first, sleeper: nil)
        let (_, task) = AsyncStream.makeStream(of: Void.self)
        let ticket = state.append(task)
        let role = state.join(ben, through: ticket, sleeper: nil)
        #expect(role == .none)
        for hasDelivered in [false, true] {
            guard case .deliver = state.next(hasDelivered: hasDelivered, awakened: &awakened) else {
                Issue.record("Two commits are to be delivered.")
                return
            }
            #expect(awakened.tasks.isEmpty)
        }
        guard case .end = state.next(hasDelivered: true, awakened: &awakened) else {
            Issue.record("The deliverer ends.")
            return
        }
        #expect(awakened.tasks.count == 1)
        // The deliverer's role is free again.
        let next = append()
        let nextRole = state.join(ben, through: next, sleeper: nil)
        #expect(nextRole == .deliver)
        _ = deliver()
        #expect(awakened.tasks.count == 1)
    }

    @Test mutating func oneThreadAtATimeDeliversTheRest() {
        let own = append()
        let rest = Int(DeliveryQueueState.overload) + 2 * DeliveryQueueState.maximumExtra + 1
        append(rest)
        _ = state.join(anna, through: own, sleeper: nil)
        let (count, startsThread) = deliver()
        #expect(startsThread)
        let startsAnother = state.mustStartThread()
        #expect(!startsAnother)
        let joins = state.joinOwnThread(cleo)
        #expect(joins)
        let (ownCount, _) = deliver()
        let joinsAgain = state.joinOwnThread(cleo)
        #expect(joinsAgain)
        let (lastCount, _) = deliver()
        #expect(count + ownCount + lastCount == 1 + rest)
        let goesOn = state.joinOwnThread(cleo)
        #expect(!goesOn)
        append()
        let startsLater = state.mustStartThread()
        #expect(startsLater)
    }

    @Test mutating func ownThreadLeavesTheRestToACommittingThread() {
        let own = append()
        let rest = append(DeliveryQueueState.maximumExtra + 1)
        _ = state.join(anna, through: own, sleeper: nil)
        let (_, startsThread) = deliver()
        #expect(startsThread)
        let role = state.join(ben, through: rest, sleeper: nil)
        #expect(role == .deliver)
        let joins = state.joinOwnThread(cleo)
        #expect(!joins)
        let ending = deliver()
        #expect(ending == (1, false))
    }

    @Test("The oldest commits are delivered first")
    mutating func order() {
        let made = Recorder<Int>()
        var appended = 0
        var random = SplitMix64(seed: 7)
        while appended < 2_000 {
            for _ in 0...random.below(200) {
                appended += 1
                _ = state.append([.action { [appended] in made.append(appended) }])
            }
            let target = DeliveryTicket(
                number: state.last.number - min(state.backlog, UInt64(random.below(100)))
            )
            guard state.join(anna, through: target, sleeper: nil) == .deliver else { continue }
            var hasDelivered = false
            while case .deliver(let notifications) = state.next(
                hasDelivered: hasDelivered,
                awakened: &awakened
            ) {
                for notification in notifications { notification.make() }
                hasDelivered = true
            }
        }
        #expect(made.count > 1_000)
        #expect(made.all == Array(1...made.count))
    }
}
