import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

extension SingleFlight {
    /// Runs an operation that doesn't claim its call.
    fileprivate func output(
        for key: Key,
        of operation: @escaping @Sendable () async throws -> Output
    ) async throws -> Output {
        try await output(for: key) { _ in try await operation() }
    }
}

@Suite(.timeLimit(.minutes(15)))
struct SingleFlightTests {
    private struct Failure: Error, Equatable {}

    private enum Context {
        @TaskLocal static var name = "none"
    }

    private let flight = SingleFlight<String, Int>()
    /// The answers of the running operation.
    private let answers = AsyncThrowingStream<Int, any Error>.makeStream()
    private let starts = Recorder<Int>()
    private let cancellations = Recorder<Int>()

    /// Starts callers, and waits until all of them wait.
    private func callers(_ count: Int, key: String = "a") async -> [Task<Int, any Error>] {
        let waiting = flight.waiterCount(for: key)
        let callers = (0..<count).map { number in
            Task { [flight, answers, starts, cancellations] in
                try await flight.output(for: key) {
                    starts.append(number)
                    for try await answer in answers.stream { return answer }
                    cancellations.append(number)
                    throw CancellationError()
                }
            }
        }
        #expect(await until { flight.waiterCount(for: key) == waiting + count })
        return callers
    }

    @Test func allCallersShareOneOutput() async throws {
        let callers = await callers(1000)
        answers.continuation.yield(7)
        for caller in callers { #expect(try await caller.value == 7) }
        #expect(starts.count == 1)
        #expect(flight.isIdle)
    }

    @Test func allCallersShareOneError() async {
        let callers = await callers(3)
        answers.continuation.finish(throwing: Failure())
        for caller in callers { await #expect(throws: Failure()) { try await caller.value } }
        #expect(flight.isIdle)
    }

    @Test func resultsAreNotRemembered() async throws {
        for number in 0..<3 {
            #expect(try await flight.output(for: "a") { number } == number)
        }
        await #expect(throws: Failure()) { try await flight.output(for: "a") { throw Failure() } }
        #expect(try await flight.output(for: "a") { 9 } == 9)
    }

    @Test func keysAreIndependent() async throws {
        let callers = await callers(1, key: "a")
        #expect(try await flight.output(for: "b") { 2 } == 2)
        answers.continuation.yield(1)
        #expect(try await callers[0].value == 1)
    }

    @Test func cancelledCallerLeavesTheOthers() async throws {
        let callers = await callers(3)
        for caller in callers[..<2] {
            caller.cancel()
            await #expect(throws: CancellationError.self) { try await caller.value }
        }
        #expect(flight.waiterCount(for: "a") == 1)
        answers.continuation.yield(7)
        #expect(try await callers[2].value == 7)
        #expect(cancellations.count == 0)
    }

    @Test func lastCallerCancelsTheOperation() async {
        let callers = await callers(3)
        #expect(await until { starts.count == 1 })
        for caller in callers {
            #expect(cancellations.count == 0)
            caller.cancel()
            await #expect(throws: CancellationError.self) { try await caller.value }
        }
        #expect(flight.isIdle)
        #expect(await until { cancellations.count == 1 })
    }

    @Test func cancelledTaskStartsNothing() async {
        let task = Task { [flight, starts] in
            await untilCancelled()
            return try await flight.output(for: "a") {
                starts.append(0)
                return 1
            }
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(starts.count == 0)
        #expect(flight.isIdle)
    }

    @Test func abandonedOperationDoesNotEndALaterOne() async throws {
        let mayEnd = Locked(false)
        let hasEnded = Locked(false)
        let hasBegun = Locked(false)
        let abandoned = Task { [flight] in
            try await flight.output(for: "a") {
                hasBegun.withLock { $0 = true }
                _ = await until(evenIfCancelled: true) { mayEnd.withLock { $0 } }
                hasEnded.withLock { $0 = true }
                return 1
            }
        }
        #expect(await until { hasBegun.withLock { $0 } })
        abandoned.cancel()
        await #expect(throws: CancellationError.self) { try await abandoned.value }
        let callers = await callers(1)
        mayEnd.withLock { $0 = true }
        #expect(await until { hasEnded.withLock { $0 } })
        #expect(flight.waiterCount(for: "a") == 1)
        answers.continuation.yield(2)
        #expect(try await callers[0].value == 2)
    }

    @Test func claimedOperationOutlivesItsCallers() async throws {
        let mayClaim = Locked(false)
        let isClaimed = Locked(false)
        let mayEnd = Locked(false)
        let task = Task { [flight] in
            try await flight.output(for: "a") { call in
                _ = await until(evenIfCancelled: true) { mayClaim.withLock { $0 } }
                #expect(call.claim())
                isClaimed.withLock { $0 = true }
                _ = await until(evenIfCancelled: true) { mayEnd.withLock { $0 } }
                #expect(!Task.isCancelled)
                return 1
            }
        }
        #expect(await until { flight.waiterCount(for: "a") == 1 })
        mayClaim.withLock { $0 = true }
        #expect(await until { isClaimed.withLock { $0 } })
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(!flight.isIdle)
        let later = await callers(1)
        mayEnd.withLock { $0 = true }
        #expect(try await later[0].value == 1)
        #expect(starts.count == 0)
        #expect(flight.isIdle)
    }

    @Test func abandonedOperationCannotClaim() async throws {
        let mayClaim = Locked(false)
        let claims = Recorder<Bool>()
        let hasBegun = Locked(false)
        let abandoned = Task { [flight] in
            try await flight.output(for: "a") { call in
                hasBegun.withLock { $0 = true }
                _ = await until(evenIfCancelled: true) { mayClaim.withLock { $0 } }
                claims.append(call.claim())
                return 1
            }
        }
        #expect(await until { hasBegun.withLock { $0 } })
        abandoned.cancel()
        await #expect(throws: CancellationError.self) { try await abandoned.value }
        let later = await callers(1)
        mayClaim.withLock { $0 = true }
        #expect(await until { claims.count == 1 })
        #expect(claims.all == [false])
        answers.continuation.yield(2)
        #expect(try await later[0].value == 2)
    }

    @Test func operationInheritsTheContextOfItsCaller() async throws {
        let name = Recorder<String>()
        try await Context.$name.withValue("caller") {
            _ = try await flight.output(for: "a") {
                name.append(Context.name)
                return 1
            }
        }
        #expect(name.all == ["caller"])
    }

    /// Every caller returns with the output of its key, an error of an operation, or its own
    /// cancellation.
    @Test func callersThatComeAndGo() async {
        let settings = RandomTestSettings(seeds: 20, hasThreads: true)
        await settings.forEachSeed { seed in
            let flight = SingleFlight<Int, Int>()
            let problems = Recorder<String>()
            await withTaskGroup(of: Void.self) { group in
                for caller in 0..<40 {
                    var random = SplitMix64(seed: seed, stream: caller)
                    let key = random.below(2)
                    let yields = random.below(6)
                    let patience = random.oneIn(2) ? random.below(6) : nil
                    let fails = random.oneIn(4)
                    let task = Task {
                        try await flight.output(for: key) {
                            for _ in 0..<yields { await Task.yield() }
                            if fails { throw Failure() }
                            return key
                        }
                    }
                    group.addTask {
                        if let patience {
                            for _ in 0..<patience { await Task.yield() }
                            task.cancel()
                        }
                        switch await task.result {
                        case .success(let output):
                            if output != key { problems.append("\(output) for key \(key)") }
                        case .failure(let error):
                            if !(error is Failure), patience == nil {
                                problems.append("\(error) for a caller that was not cancelled")
                            }
                        }
                    }
                }
            }
            if !flight.isIdle { problems.append("A call remains.") }
            return FailureReport(seed: seed, problems: problems.all)
        }
    }
}
