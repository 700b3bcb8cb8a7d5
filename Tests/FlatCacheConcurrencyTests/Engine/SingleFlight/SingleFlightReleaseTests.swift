import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests that errors and outputs are released outside the flight's lock.
///
/// Their `deinit` may run any code, which may need the lock.
struct SingleFlightReleaseTests {
    private typealias State = SingleFlightState<String, Receipt>

    private struct Failure: Error {
        let receipt: Receipt
    }

    private let released = Signal()

    private func receipt() -> Receipt { Receipt { [released] in released.fire() } }

    /// Adds a caller that waits for some keys; returns it.
    private func join(_ keys: String..., to state: inout State) async throws -> State.Waiter {
        let waiter = State.Waiter()
        let continuation = try await FlightCaller().continuation
        let joining = state.join(
            waiter,
            continuation,
            keys,
            inBackground: [],
            knowing: nil,
            nil
        )
        for call in joining.calls { _ = state.begin(call.number) }
        return waiter
    }

    @Test func callThatAnErrorHasLeftDoesNotRetainTheError() async throws {
        var state = State()
        let other = try await join("b", to: &state)
        let waiter = try await join("a", "b", to: &state)
        state.end(2, .failure(Failure(receipt: receipt()))).end()
        #expect(throws: Failure.self) { try waiter.answers() }
        // The first call still has the caller in its list.
        #expect(released.isFired)
        state.end(1, .success([:])).end()
        #expect(try other.answers().count == 1)
    }

    @Test func outputsOfAnEndedCallAreReleasedAfterTheLock() async throws {
        var state = State()
        let call = state.join(inBackground: ["a"], nil).calls[0].number
        _ = state.begin(call)
        let waiter = try await join("a", "b", to: &state)
        state.end(call, .success(["a": receipt()])).end()
        var ending: FlightEnding? = state.leave(waiter)
        // The flight's lock is released before the ending.
        withExtendedLifetime(ending) { #expect(!released.isFired) }
        ending?.end()
        ending = nil
        #expect(released.isFired)
    }
}
