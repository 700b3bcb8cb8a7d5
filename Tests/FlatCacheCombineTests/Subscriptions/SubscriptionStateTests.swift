#if canImport(Combine) || OpenCombine

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif
import FlatCache
import Testing

@testable import FlatCacheCombine

struct SubscriptionStateTests {
    typealias State = SubscriptionState<Int?>

    /// Returns a state after the subscriber has received the subscription.
    static func started(_ demand: Subscribers.Demand = .none) -> State {
        var state = State()
        _ = state.next()
        _ = state.request(demand)
        return state
    }

    @Test func noValueIsDueBeforeTheSubscriptionIsHandedOver() {
        var state = State()
        #expect(state.put(1).event.isNone)
        #expect(state.request(.unlimited).isNone)
        #expect(state.end().isNone)
        #expect(state.next().value == 1)
    }

    @Test func valueIsDueWithAValueAndADemand() {
        var state = Self.started()
        #expect(state.put(1).event.isNone)
        #expect(state.request(.none).isNone)
        #expect(state.request(.max(1)).value == 1)

        var other = Self.started()
        #expect(other.request(.max(1)).isNone)
        #expect(other.put(1).event.value == 1)
    }

    @Test func eachValueUsesUpADemandOfOne() {
        var state = Self.started(.max(2))
        for number in 1...2 {
            #expect(state.put(number).event.value == number)
            #expect(state.next().isNone)
        }
        #expect(state.put(3).event.isNone)
    }

    @Test func demandsAddUp() {
        var state = Self.started(.max(1))
        _ = state.request(.max(2))
        for number in 1...3 {
            #expect(state.put(number).event.value == number)
            #expect(state.next().isNone)
        }
        #expect(state.put(4).event.isNone)
    }

    @Test func unlimitedDemandIsNeverUsedUp() {
        var state = Self.started(.unlimited)
        for number in 1...100 {
            #expect(state.put(number).event.value == number)
            #expect(state.next().isNone)
        }
    }

    @Test func newerValueReplacesAPendingOne() {
        var state = Self.started()
        #expect(state.put(1).displaced == .none)
        #expect(state.put(nil).displaced == .some(1))
        #expect(state.put(3).displaced == .some(nil))
        #expect(state.request(.unlimited).value == 3)
        #expect(state.next().isNone)
    }

    @Test func nilIsAValueLikeOthers() {
        var state = Self.started()
        _ = state.put(nil)
        #expect(state.request(.max(1)).value == .some(nil))
        #expect(state.next().isNone)
    }

    @Test func sendingThreadReceivesValuesThatBecomeDueMeanwhile() {
        var state = Self.started(.max(1))
        #expect(state.put(1).event.value == 1)
        #expect(state.put(2).event.isNone)
        #expect(state.request(.max(1)).isNone)
        #expect(state.next().value == 2)
        #expect(state.end().isNone)
        #expect(state.next().isFinished)
    }

    @Test func completionNeedsNoDemand() {
        var state = Self.started()
        #expect(state.end().isFinished)
        #expect(state.next().isNone)
    }

    @Test func pendingValuePrecedesTheCompletion() {
        var state = Self.started()
        _ = state.put(1)
        #expect(state.end().isNone)
        #expect(state.request(.max(1)).value == 1)
        #expect(state.next().isFinished)
    }

    @Test func noValueIsDueAfterTheEnd() {
        var state = Self.started(.unlimited)
        #expect(state.end().isFinished)
        #expect(state.request(.unlimited).isNone)
        #expect(state.next().isNone)
        #expect(state.end().isNone)
        #expect(state.request(.unlimited).isNone)
    }

    @Test func noValueIsDueAfterCancellation() {
        var state = Self.started()
        _ = state.put(1)
        _ = state.cancel()
        #expect(state.request(.unlimited).isNone)
        #expect(state.put(2).event.isNone)
        #expect(state.end().isNone)
        #expect(state.next().isNone)
    }

    @Test func cancellationReturnsTheObservationAndPendingValuesOnce() {
        var state = Self.started()
        let observation = Disposable {}
        state.observation = observation
        _ = state.put(1)
        let remains = state.cancel()
        #expect(remains.observation == observation)
        #expect(remains.pending == [1])

        _ = state.put(2)
        let nothing = state.cancel()
        #expect(nothing.observation == nil)
        #expect(nothing.pending.isEmpty)
    }
}

extension SubscriptionState<Int?>.Event? {
    var isNone: Bool {
        if case .none = self { true } else { false }
    }

    var value: Int?? {
        if case .value(let output) = self { output } else { nil }
    }

    var isFinished: Bool {
        if case .finished = self { true } else { false }
    }
}

#endif
