import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct SingleFlightStateTests {
    private struct Failure: Error, Equatable {}

    // MARK: Joining

    @Test func laterCallersJoinTheCallOfAKey() async throws {
        let flight = CheckedFlight()
        let (first, second) = (try await FlightCaller(), try await FlightCaller())
        #expect(flight.join(first, "a").map(\.number) == [1])
        #expect(flight.begin(1) == ["a"])
        #expect(flight.join(second, "a").isEmpty)
        #expect(flight.state.waiterCount(for: "a") == 2)
        flight.end(1, ["a": 7])
        #expect(try await first.answers == "a: 7")
        #expect(try await second.answers == "a: 7 (joined)")
        #expect(flight.state.callCount == 0)
        #expect(flight.state.keys.isEmpty)
    }

    @Test func callThatHasNotBegunIsNotOneOfAnotherCaller() async throws {
        let flight = CheckedFlight()
        let (first, second) = (try await FlightCaller(), try await FlightCaller())
        _ = flight.join(first, "a")
        // The operation is the first caller's, even if it hasn't begun.
        #expect(flight.join(second, "a").isEmpty)
        #expect(flight.begin(1) == ["a"])
        flight.end(1, ["a": 7])
        #expect(try await first.answers == "a: 7")
        #expect(try await second.answers == "a: 7 (joined)")
    }

    @Test func callerGetsTheAnswersOfSeveralCalls() async throws {
        let flight = CheckedFlight()
        let (first, second) = (try await FlightCaller(), try await FlightCaller())
        _ = flight.join(first, "a", "b")
        #expect(flight.begin(1) == ["a", "b"])
        #expect(flight.join(second, "b", "c", "d").map(\.number) == [2])
        #expect(flight.begin(2) == ["c", "d"])
        flight.end(2, ["c": 3])
        #expect(flight.state.waiterCount(for: "b") == 2)
        flight.end(1, ["a": 1, "b": 2])
        #expect(try await first.answers == "a: 1, b: 2")
        #expect(try await second.answers == "b: 2 (joined), c: 3, d: none")
        #expect(flight.state.callCount == 0)
    }

    @Test func errorEndsTheWaitForAllCalls() async throws {
        let flight = CheckedFlight()
        let (first, second) = (try await FlightCaller(), try await FlightCaller())
        _ = flight.join(first, "a")
        _ = flight.begin(1)
        _ = flight.join(second, "a", "b")
        _ = flight.begin(2)
        flight.end(1, throwing: Failure())
        await #expect(throws: Failure()) { try await first.answers }
        await #expect(throws: Failure()) { try await second.answers }
        // The second caller was the only one of the other call.
        #expect(flight.state.callCount == 0)
        #expect(flight.cancellations == [2])
    }

    @Test func callerWithoutKeysDoesNotWait() async throws {
        let flight = CheckedFlight()
        let caller = try await FlightCaller()
        #expect(flight.join(caller).isEmpty)
        #expect(try await caller.answers == "")
    }

    // MARK: Leaving

    @Test func lastCallerToLeaveCancelsTheCall() async throws {
        let flight = CheckedFlight()
        let (first, second) = (try await FlightCaller(), try await FlightCaller())
        _ = flight.join(first, "a")
        _ = flight.begin(1)
        #expect(flight.recordAbandonment(of: 1))
        _ = flight.join(second, "a")
        flight.leave(first)
        await #expect(throws: CancellationError.self) { try await first.answers }
        #expect(flight.abandonments.all == [])
        flight.leave(second)
        await #expect(throws: CancellationError.self) { try await second.answers }
        #expect(flight.abandonments.all == [1])
        #expect(flight.cancellations == [1])
        #expect(flight.state.callCount == 0)
        #expect(!flight.claim(1))
    }

    @Test func callerThatHasLeftStartsNothing() async throws {
        let flight = CheckedFlight()
        let caller = try await FlightCaller()
        flight.leave(caller)
        #expect(flight.join(caller, "a").isEmpty)
        await #expect(throws: CancellationError.self) { try await caller.answers }
        #expect(flight.state.callCount == 0)
    }

    @Test func callerThatLeavesEndsOnlyTheCallsThatItAloneNeeds() async throws {
        let flight = CheckedFlight()
        let (first, second) = (try await FlightCaller(), try await FlightCaller())
        _ = flight.join(first, "a")
        _ = flight.join(second, "a", "b")
        _ = (flight.begin(1), flight.begin(2))
        flight.leave(second)
        #expect(flight.state.keys == ["a"])
        #expect(flight.cancellations == [2])
        flight.end(2, ["b": 2])
        flight.end(1, ["a": 1])
        #expect(try await first.answers == "a: 1")
    }

    @Test func callersThatHaveLeftAreReleased() async throws {
        let flight = CheckedFlight()
        let first = try await FlightCaller()
        _ = flight.join(first, "a")
        _ = flight.begin(1)
        var waiters: [Weak<FlightCaller.Waiter>] = []
        for _ in 0..<100 {
            let caller = try await FlightCaller()
            waiters.append(Weak(caller.waiter))
            #expect(flight.join(caller, "a").isEmpty)
            flight.leave(caller)
        }
        #expect(waiters.count { $0.object != nil } <= 20)
        #expect(flight.state.waiterCount(for: "a") == 1)
        flight.end(1, ["a": 1])
        #expect(try await first.answers == "a: 1")
    }

    @Test(arguments: [true, false])
    func endedCallsReleaseTheirCallers(succeeds: Bool) async throws {
        let flight = CheckedFlight()
        var callers = [try await FlightCaller(), try await FlightCaller()]
        let waiters = callers.map { Weak($0.waiter) }
        _ = flight.join(callers[0], "a")
        _ = flight.begin(1)
        _ = flight.join(callers[1], "a", "b")
        _ = flight.begin(2)
        if succeeds { flight.end(1, ["a": 1]) } else { flight.end(1, throwing: Failure()) }
        flight.end(2, ["b": 2])
        for caller in callers { _ = try? await caller.answers }
        callers = []
        #expect(waiters.allSatisfy { $0.object == nil })
    }

    @Test func leavingAfterTheEndHasNoEffect() async throws {
        let flight = CheckedFlight()
        let caller = try await FlightCaller()
        _ = flight.join(caller, "a")
        _ = flight.begin(1)
        flight.end(1, ["a": 1])
        flight.leave(caller)
        #expect(try await caller.answers == "a: 1")
        #expect(flight.cancellations == [])
    }

    @Test func callWithoutCallersNeverBegins() async throws {
        let flight = CheckedFlight()
        let (first, second) = (try await FlightCaller(), try await FlightCaller())
        _ = flight.join(first, "a")
        flight.leave(first)
        #expect(flight.join(second, "a").map(\.number) == [2])
        #expect(flight.begin(1) == nil)
        #expect(flight.begin(2) == ["a"])
        #expect(flight.begin(2) == nil)
    }

    // MARK: Claims

    @Test func claimedCallOutlivesItsCallers() async throws {
        let flight = CheckedFlight()
        let (first, second) = (try await FlightCaller(), try await FlightCaller())
        _ = flight.join(first, "a")
        _ = flight.begin(1)
        #expect(flight.recordAbandonment(of: 1))
        #expect(flight.claim(1))
        flight.leave(first)
        #expect(flight.abandonments.all == [])
        #expect(flight.cancellations == [])
        #expect(flight.state.callCount == 1)
        #expect(flight.join(second, "a").isEmpty)
        flight.end(1, ["a": 1])
        #expect(try await second.answers == "a: 1 (joined)")
        #expect(flight.state.callCount == 0)
    }

    @Test func endedCallHasNoAbandonment() async throws {
        let flight = CheckedFlight()
        let caller = try await FlightCaller()
        _ = flight.join(caller, "a")
        _ = flight.begin(1)
        flight.leave(caller)
        #expect(!flight.recordAbandonment(of: 1))
        #expect(flight.abandonments.all == [])
    }

    // MARK: Background

    @Test func noCallersLeavingCancelsABackgroundCall() async throws {
        let flight = CheckedFlight()
        let (first, second) = (try await FlightCaller(), try await FlightCaller())
        #expect(flight.join(inBackground: "a").map(\.number) == [1])
        #expect(flight.begin(1) == ["a"])
        _ = flight.join(first, "a")
        flight.leave(first)
        #expect(flight.cancellations == [])
        #expect(flight.state.keys == ["a"])
        #expect(flight.claim(1))
        #expect(flight.join(second, "b", inBackground: ["a"]).map(\.number) == [2])
        _ = flight.begin(2)
        flight.end(2, ["b": 2])
        // The caller doesn't wait for the key in the background.
        #expect(try await second.answers == "b: 2")
        flight.end(1, ["a": 1])
        #expect(flight.state.callCount == 0)
    }

    @Test func keyInTheBackgroundKeepsTheCallOfACallerThatLeaves() async throws {
        let flight = CheckedFlight()
        let caller = try await FlightCaller()
        _ = flight.join(caller, "a")
        _ = flight.begin(1)
        #expect(flight.join(inBackground: "a").isEmpty)
        flight.leave(caller)
        #expect(flight.state.callCount == 1)
        #expect(flight.cancellations == [])
        flight.end(1, throwing: Failure())
        #expect(flight.state.callCount == 0)
    }

    @Test func callerWithBackgroundKeysAloneDoesNotWait() async throws {
        let flight = CheckedFlight()
        let caller = try await FlightCaller()
        #expect(flight.join(caller, inBackground: ["a", "b"]).map(\.number) == [1])
        #expect(try await caller.answers == "")
        #expect(flight.begin(1) == ["a", "b"])
        flight.end(1, [:])
        #expect(flight.state.callCount == 0)
    }
}
