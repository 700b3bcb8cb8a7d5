import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests that errors and outputs are released outside the flight's lock.
///
/// Their `deinit` may run any code, which may need the lock.
@Suite(.timeLimit(.minutes(15)))
struct SingleFlightReleaseTests {
    private struct Failure: Error {
        let receipt: Receipt
    }

    private let flight = SingleFlight<String, Receipt>()
    private let operations = Locked<[String: UnsafeContinuation<Void, Never>]>([:])
    private let released = Recorder<String>()

    private func receipt(_ name: String) -> Receipt {
        Receipt { [flight, released] in
            _ = flight.callCount
            released.append(name)
        }
    }

    /// Starts a caller of some keys, whose operations return or throw a receipt when they're
    /// resumed; waits until the operation of a key has begun.
    private func start(
        _ keys: String...,
        beginning key: String,
        fails: Bool = false
    ) async -> Task<Void, any Error> {
        let task = Task {
            _ = try await flight.answers(for: keys) { call in
                await withUnsafeContinuation { continuation in
                    operations.withLock { $0[call.keys[0]] = continuation }
                }
                if fails { throw Failure(receipt: receipt("error")) }
                return [call.keys[0]: receipt(call.keys[0])]
            }
        }
        #expect(await until { operations.withLock { $0[key] != nil } })
        return task
    }

    private func end(_ key: String) {
        operations.withLock { $0.removeValue(forKey: key) }?.resume()
    }

    @Test func outputsOfAnEndedCallAreReleased() async throws {
        let first = await start("a", beginning: "a")
        let second = await start("a", "b", beginning: "b")
        end("a")
        try await first.value
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        #expect(await until { released.all == ["a"] })
        // The operation of the abandoned call returns late.
        end("b")
        #expect(await until { released.all == ["a", "b"] })
        #expect(flight.isIdle)
    }

    @Test func errorIsReleasedWhileAnotherCallRuns() async throws {
        let first = await start("a", beginning: "a")
        let second = Task {
            let caller = await start("a", "b", beginning: "b", fails: true)
            end("b")
            await #expect(throws: Failure.self) { try await caller.value }
        }
        await second.value
        #expect(await until { released.all == ["error"] })
        #expect(flight.waiterCount(for: "a") == 1)
        end("a")
        try await first.value
    }
}
