import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct SingleFlightStateGatheringTests {
    @Test func callGathersTheKeysOfItsGroup() async throws {
        let flight = CheckedFlight()
        let (first, second) = (try await FlightCaller(), try await FlightCaller())
        let other = try await FlightCaller()
        let starts = flight.join(first, "a", gathering: .rule())
        #expect(starts.map(\.number) == [1])
        #expect(starts.map(\.isGathering) == [true])
        #expect(flight.join(second, "a", "b", gathering: .rule()).isEmpty)
        #expect(flight.join(other, "c", gathering: .rule(group: 2)).map(\.number) == [2])
        #expect(flight.begin(1) == ["a", "b"])
        #expect(flight.join(other, "d", gathering: .rule()).map(\.number) == [3])
        flight.end(1, ["a": 1, "b": 2])
        // The operation is the same for the whole group, and it began after both had joined.
        #expect(try await first.answers == "a: 1")
        #expect(try await second.answers == "a: 1, b: 2")
    }

    @Test func anotherGroupsCallIsNotOneOfTheCaller() async throws {
        let flight = CheckedFlight()
        let (first, second) = (try await FlightCaller(), try await FlightCaller())
        let third = try await FlightCaller()
        _ = flight.join(first, "a", gathering: .rule())
        #expect(flight.join(second, "a").isEmpty)
        #expect(flight.join(third, "a", gathering: .rule(group: 2)).isEmpty)
        _ = flight.begin(1)
        flight.end(1, ["a": 1])
        #expect(try await first.answers == "a: 1")
        #expect(try await second.answers == "a: 1 (joined)")
        #expect(try await third.answers == "a: 1 (joined)")
    }

    @Test func fullCallGathersNoMore() async throws {
        let flight = CheckedFlight()
        let (first, second) = (try await FlightCaller(), try await FlightCaller())
        let keys = flight.join(first, "a", "b", "c", "d", gathering: .rule())
        #expect(keys.map(\.number) == [1, 2])
        // The pause of the full call ends at once.
        #expect(flight.cancellations == [101])
        #expect(flight.join(second, "e", "f", gathering: .rule()).isEmpty)
        #expect(flight.cancellations == [101, 102])
        #expect(flight.begin(1) == ["a", "b", "c"])
        #expect(flight.begin(2) == ["d", "e", "f"])
        flight.end(2, ["d": 4, "e": 5])
        flight.end(1, ["a": 1])
        #expect(try await first.answers == "a: 1, b: none, c: none, d: 4")
        #expect(try await second.answers == "e: 5, f: none")
    }

    @Test func callOfOneKeyDoesNotPause() async throws {
        let flight = CheckedFlight()
        let caller = try await FlightCaller()
        let starts = flight.join(caller, "a", "b", gathering: .rule(maximum: 1))
        #expect(starts.map(\.number) == [1, 2])
        #expect(flight.cancellations == [101, 102])
        #expect(flight.begin(1) == ["a"])
        #expect(flight.begin(2) == ["b"])
    }

    @Test func ruleWithoutWaitingSplitsTheKeysOfOneCaller() async throws {
        let flight = CheckedFlight()
        let (first, second) = (try await FlightCaller(), try await FlightCaller())
        let rule = FlightGathering.rule(maximum: 2, waitsForOthers: false)
        let starts = flight.join(first, "a", "b", "c", gathering: rule)
        #expect(starts.map(\.number) == [1, 2])
        #expect(starts.map(\.isGathering) == [false, false])
        #expect(flight.join(second, "d", gathering: rule).map(\.number) == [3])
        #expect(flight.begin(1) == ["a", "b"])
        #expect(flight.begin(2) == ["c"])
        #expect(flight.begin(3) == ["d"])
    }

    @Test func callBeginsWithoutTheKeysThatNoCallerNeeds() async throws {
        let flight = CheckedFlight()
        let (first, second) = (try await FlightCaller(), try await FlightCaller())
        let third = try await FlightCaller()
        _ = flight.join(first, "a", "b", gathering: .rule(maximum: 10))
        _ = flight.join(second, "b", "c", inBackground: ["d"], gathering: .rule(maximum: 10))
        flight.leave(first)
        #expect(flight.begin(1) == ["b", "c", "d"])
        #expect(flight.join(third, "a", gathering: .rule(maximum: 10)).map(\.number) == [2])
        flight.end(1, ["b": 2, "c": 3])
        #expect(try await second.answers == "b: 2, c: 3")
    }

    @Test func gatheredCallThatAllHaveLeftEnds() async throws {
        let flight = CheckedFlight()
        let (first, second) = (try await FlightCaller(), try await FlightCaller())
        _ = flight.join(first, "a", gathering: .rule())
        flight.leave(first)
        #expect(flight.cancellations == [1, 101])
        #expect(flight.begin(1) == nil)
        #expect(flight.join(second, "b", gathering: .rule()).map(\.number) == [2])
        #expect(flight.begin(2) == ["b"])
    }

    @Test func callerThatComesBackDoesNotRepeatItsKey() async throws {
        let flight = CheckedFlight()
        let (first, second) = (try await FlightCaller(), try await FlightCaller())
        let third = try await FlightCaller()
        _ = flight.join(first, "a", gathering: .rule())
        _ = flight.join(second, "b", gathering: .rule())
        flight.leave(first)
        _ = flight.join(third, "a", gathering: .rule())
        #expect(flight.begin(1) == ["b", "a"])
    }

    @Test func keysWhoseCallersHaveLeftDoNotFillACall() async throws {
        let flight = CheckedFlight()
        let (first, second) = (try await FlightCaller(), try await FlightCaller())
        let third = try await FlightCaller()
        _ = flight.join(first, "a", "b", gathering: .rule())
        _ = flight.join(second, "c", "d", gathering: .rule(maximum: 10))
        flight.leave(first)
        #expect(flight.join(third, "e", gathering: .rule()).isEmpty)
        #expect(flight.cancellations == [101])
        #expect(flight.begin(1) == ["c", "d", "e"])
    }

    // MARK: Separation

    @Test func separatedKeyStartsANewCall() async throws {
        let flight = CheckedFlight()
        let (first, second) = (try await FlightCaller(), try await FlightCaller())
        _ = flight.join(first, "a", "b")
        _ = flight.begin(1)
        flight.separate("a")
        #expect(flight.join(second, "a", "b").map(\.number) == [2])
        #expect(flight.begin(2) == ["a"])
        flight.end(2, ["a": 20])
        // The end of the later call doesn't end the earlier one, and the other way around.
        flight.end(1, ["a": 10, "b": 1])
        #expect(try await first.answers == "a: 10, b: 1")
        #expect(try await second.answers == "a: 20, b: 1 (joined)")
        #expect(flight.state.callCount == 0)
    }

    @Test func endOfAnEarlierCallLeavesTheLaterOne() async throws {
        let flight = CheckedFlight()
        let (first, second) = (try await FlightCaller(), try await FlightCaller())
        let third = try await FlightCaller()
        _ = flight.join(first, "a")
        _ = flight.begin(1)
        flight.separate("a")
        _ = flight.join(second, "a")
        _ = flight.begin(2)
        flight.end(1, ["a": 10])
        #expect(flight.join(third, "a").isEmpty)
        flight.end(2, ["a": 20])
        #expect(try await first.answers == "a: 10")
        #expect(try await third.answers == "a: 20 (joined)")
    }

    @Test func separationOfAWaitingCallHasNoEffect() async throws {
        let flight = CheckedFlight()
        let (first, second) = (try await FlightCaller(), try await FlightCaller())
        _ = flight.join(first, "a", gathering: .rule())
        flight.separate("a")
        flight.separateAll(includingWaiting: false)
        #expect(flight.join(second, "a", gathering: .rule()).isEmpty)
    }

    @Test func separationOfWaitingCallsMakesNewOnes() async throws {
        let flight = CheckedFlight()
        let (first, second) = (try await FlightCaller(), try await FlightCaller())
        let third = try await FlightCaller()
        _ = flight.join(first, "a", gathering: .rule())
        flight.separateAll(includingWaiting: true)
        #expect(flight.state.keys.isEmpty)
        #expect(flight.join(second, "a", gathering: .rule(group: 2)).map(\.number) == [2])
        // A caller that has found the former group before joins the later call.
        #expect(flight.join(third, "a", gathering: .rule()).isEmpty)
        #expect(flight.begin(1) == ["a"])
        #expect(flight.begin(2) == ["a"])
    }

    @Test func separatedCallGathersNoMore() async throws {
        let flight = CheckedFlight()
        let (first, second) = (try await FlightCaller(), try await FlightCaller())
        _ = flight.join(first, "a", gathering: .rule())
        flight.separateAll(includingWaiting: true)
        #expect(flight.join(second, "a", gathering: .rule()).map(\.number) == [2])
        #expect(flight.begin(1) == ["a"])
        #expect(flight.begin(2) == ["a"])
    }
}
