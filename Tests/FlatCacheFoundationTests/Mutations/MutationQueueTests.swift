import FlatCache
import FlatCacheFoundation
import FlatCacheTesting
import Foundation
import TestSupport
import Testing

/// A queue in memory, and a server whose responses the test chooses.
struct MutationFixture {
    let clock = ManualClock()
    let server = StubServer()
    let cache: Cache
    let rolledBack = Recorder<String>()

    init() {
        cache = Cache(configuration: CacheConfiguration(clock: clock))
        cache.set(contentsOf: [Note(id: "a", text: "a0"), Note(id: "b", text: "b0")])
    }

    func queue() -> MutationQueue<StubServer> {
        cache.mutations(with: server) {
            SetText.self
            AddNote.self
            Ping.self
        } onRollBack: { [rolledBack] mutation, error in
            rolledBack.append("\(mutation) \(error)")
        }
    }

    func text(_ id: String) -> String? { cache[Note.self, id]?.text }

    func untilWaiting(_ requests: [String]) async -> Bool {
        await until { Set(server.waiting) == Set(requests) }
    }

    /// Waits until the server has some requests; returns `false` if it has got others.
    func untilSent(_ requests: Set<String>) async -> Bool {
        _ = await until { requests.isSubset(of: server.log) }
        return Set(server.log) == requests
    }
}

struct MutationQueueTests {
    private let fixture = MutationFixture()
    private var cache: Cache { fixture.cache }
    private var server: StubServer { fixture.server }

    @Test func mutationIsShownAtOnceAndConfirmedByTheResponse() async throws {
        let queue = fixture.queue()
        let pending = try await queue.submit(SetText(note: "a", text: "a1"))
        #expect(fixture.text("a") == "a1")
        #expect(cache.confirmed[Note.self, "a"]?.text == "a0")
        #expect(queue.pending.elements.map(\.name) == ["set-text"])
        #expect(queue.pending.elements.map(\.id) == [pending.id])

        #expect(await fixture.untilWaiting(["a=a1"]))
        server.answer("a=a1", with: .success("A1"))
        #expect(try await pending.value == Note(id: "a", text: "A1!"))
        #expect(cache.confirmed[Note.self, "a"]?.text == "A1!")
        #expect(queue.pending.elements.isEmpty)
        #expect(fixture.rolledBack.all.isEmpty)
    }

    @Test func confirmationAndEndAreOneCommit() async throws {
        let queue = fixture.queue()
        let pending = try await queue.submit(SetText(note: "a", text: "a1"))
        let states = Recorder<String>()
        let token = cache.observeAll(PendingMutation.self) { [cache] commit in
            for change in commit.changes where change.kind.isRemoval {
                states.append("\(cache.confirmed[Note.self, "a"]?.text ?? "") \(commit.version)")
            }
        }
        #expect(await fixture.untilWaiting(["a=a1"]))
        let version = cache.version
        server.answer("a=a1", with: .success("A1"))
        _ = try await pending.value
        #expect(states.all == ["A1! \(version + 1)"])
        #expect(cache.version == version + 1)
        token.dispose()
    }

    @Test func mutationsOfAScopeAreSentOneAtATime() async throws {
        let queue = fixture.queue()
        let first = try await queue.submit(SetText(note: "a", text: "a1"))
        let second = try await queue.submit(SetText(note: "a", text: "a2"))
        try await queue.submit(SetText(note: "b", text: "b1"))
        #expect(fixture.text("a") == "a2")
        #expect(await fixture.untilSent(["a=a1", "b=b1"]))

        server.answer("a=a1", with: .success("A1"))
        _ = try await first.value
        #expect(fixture.text("a") == "a2")
        #expect(await fixture.untilWaiting(["a=a2", "b=b1"]))
        server.answer("a=a2", with: .success("A2"))
        _ = try await second.value
        #expect(fixture.text("a") == "A2!")
        #expect(server.log.filter { $0.hasPrefix("a") } == ["a=a1", "a=a2"])
    }

    @Test func mutationsWithoutAScopeShareOne() async throws {
        let queue = fixture.queue()
        queue.pause()
        for number in 1...3 { try await queue.submit(Ping(number: number)) }
        queue.resume()
        for number in 1...3 {
            #expect(await fixture.untilWaiting(["ping \(number), attempt 1"]))
            server.answer("ping \(number), attempt 1")
        }
        #expect(await until { queue.pending.elements.isEmpty })
    }

    @Test func refusedMutationRollsBack() async throws {
        let queue = fixture.queue()
        let first = try await queue.submit(SetText(note: "a", text: "a1"))
        let second = try await queue.submit(SetText(note: "a", text: "a2"))
        #expect(await fixture.untilWaiting(["a=a1"]))
        server.answer("a=a1", with: .failure(Refusal()))
        await #expect(throws: Refusal.self) { try await first.value }
        // The later edit of the same entity remains.
        #expect(fixture.text("a") == "a2")
        #expect(await fixture.untilWaiting(["a=a2"]))
        #expect(fixture.rolledBack.all == ["\(SetText(note: "a", text: "a1")) Refusal()"])
        server.answer("a=a2", with: .failure(Refusal()))
        await #expect(throws: Refusal.self) { try await second.value }
        #expect(fixture.text("a") == "a0")
        #expect(queue.pending.elements.isEmpty)
    }

    @Test func failedMutationIsSentAgainAfterItsPauses() async throws {
        let queue = fixture.queue()
        let pending = try await queue.submit(Ping(number: 1))
        #expect(await fixture.untilWaiting(["ping 1, attempt 1"]))
        server.answer("ping 1, attempt 1", with: .failure(Refusal()))
        #expect(await until { fixture.clock.sleeperCount == 1 })
        fixture.clock.advance(by: .milliseconds(4_999))
        #expect(fixture.clock.sleeperCount == 1)
        fixture.clock.advance(by: .milliseconds(1))
        // The second failure is followed by a pause of two seconds and a random part.
        #expect(await fixture.untilWaiting(["ping 1, attempt 2"]))
        server.answer("ping 1, attempt 2", with: .failure(Refusal()))
        #expect(await until { fixture.clock.sleeperCount == 1 })
        fixture.clock.advance(by: .milliseconds(1_999))
        #expect(fixture.clock.sleeperCount == 1)
        fixture.clock.advance(by: .milliseconds(501))
        #expect(await fixture.untilWaiting(["ping 1, attempt 3"]))
        server.answer("ping 1, attempt 3", with: .success("pong"))
        #expect(try await pending.value == "pong")
    }

    @Test func retryEndsThePause() async throws {
        let queue = fixture.queue()
        let pending = try await queue.submit(Ping(number: 1))
        #expect(await fixture.untilWaiting(["ping 1, attempt 1"]))
        server.answer("ping 1, attempt 1", with: .failure(Refusal()))
        #expect(await until { fixture.clock.sleeperCount == 1 })
        queue.retry(pending.id)
        #expect(await fixture.untilWaiting(["ping 1, attempt 2"]))
    }

    @Test func failuresAreCountedAndShown() async throws {
        let queue = fixture.queue()
        let pending = try await queue.submit(Ping(number: 1))
        #expect(queue.pending.elements.map(\.failureCount) == [0])
        #expect(queue[pending.id] as? Ping == Ping(number: 1))
        for attempt in 1...2 {
            #expect(await fixture.untilWaiting(["ping 1, attempt \(attempt)"]))
            server.answer("ping 1, attempt \(attempt)", with: .failure(Refusal()))
            #expect(await until { fixture.clock.sleeperCount == 1 })
            #expect(queue.pending.elements.map(\.failureCount) == [attempt])
            #expect(queue.pending.elements.map(\.lastError) == ["Refusal()"])
            queue.retry(pending.id)
        }
        queue.discard(pending.id)
        #expect(queue[pending.id] == nil)
    }

    @Test func closedQueueRollsBackAndSendsNothing() async throws {
        let queue = fixture.queue()
        let pending = try await queue.submit(SetText(note: "a", text: "a1"))
        #expect(await fixture.untilWaiting(["a=a1"]))
        await queue.close()
        #expect(fixture.text("a") == "a0")
        #expect(await fixture.untilWaiting([]))
        await #expect(throws: MutationError.closed) { try await pending.value }
        await #expect(throws: MutationError.closed) {
            try await queue.submit(SetText(note: "a", text: "a2"))
        }
        #expect(fixture.text("a") == "a0")
        #expect(fixture.rolledBack.all.isEmpty)
        #expect(queue.pending.elements.isEmpty)
    }

    @Test func resumptionEndsThePauses() async throws {
        let queue = fixture.queue()
        try await queue.submit(Ping(number: 1))
        #expect(await fixture.untilWaiting(["ping 1, attempt 1"]))
        queue.pause()
        server.answer("ping 1, attempt 1", with: .failure(Refusal()))
        #expect(await until { fixture.clock.sleeperCount == 1 })
        queue.resume()
        #expect(await fixture.untilWaiting(["ping 1, attempt 2"]))
    }

    @Test(arguments: [
        CancellationError() as any Error, URLError(.notConnectedToInternet), URLError(.timedOut),
    ])
    func mutationIsSentAgainAfterCancellationsAndConnectionErrors(_ error: any Error) async throws {
        let queue = fixture.queue()
        try await queue.submit(SetText(note: "a", text: "a1"))
        #expect(await fixture.untilWaiting(["a=a1"]))
        server.answer("a=a1", with: .failure(error))
        #expect(await until { fixture.clock.sleeperCount == 1 })
        #expect(fixture.text("a") == "a1")
        fixture.clock.advance(by: .seconds(2))
        #expect(await fixture.untilWaiting(["a=a1"]))
        #expect(fixture.rolledBack.all.isEmpty)
    }

    @Test func otherURLErrorsRollBack() {
        #expect(MutationFailure.default(for: URLError(.badURL)) == .rollBack)
        #expect(MutationFailure.default(for: Refusal()) == .rollBack)
    }

    @Test func pausedQueueSendsNothing() async throws {
        let queue = fixture.queue()
        let first = try await queue.submit(SetText(note: "a", text: "a1"))
        #expect(await fixture.untilWaiting(["a=a1"]))
        queue.pause()
        try await queue.submit(SetText(note: "a", text: "a2"))
        try await queue.submit(SetText(note: "b", text: "b1"))
        // The attempt that has begun continues.
        server.answer("a=a1", with: .success("A1"))
        _ = try await first.value
        #expect(fixture.text("b") == "b1")
        queue.resume()
        #expect(await fixture.untilWaiting(["a=a2", "b=b1"]))
        #expect(server.log.first == "a=a1")
    }

    @Test func discardedMutationIsRolledBackWhileItIsSent() async throws {
        let queue = fixture.queue()
        let first = try await queue.submit(SetText(note: "a", text: "a1"))
        let second = try await queue.submit(SetText(note: "a", text: "a2"))
        #expect(await fixture.untilWaiting(["a=a1"]))
        queue.discard(first.id)
        await #expect(throws: MutationError.discarded) { try await first.value }
        #expect(await fixture.untilWaiting(["a=a2"]))
        queue.discard(second.id)
        #expect(fixture.text("a") == "a0")
        #expect(queue.pending.elements.isEmpty)
        #expect(fixture.rolledBack.count == 2)
        queue.discard(second.id)
        #expect(fixture.rolledBack.count == 2)
    }

    @Test func mutationThatABatchDiscardsIsReportedAfterTheBatch() async throws {
        let queue = fixture.queue()
        queue.pause()
        let pending = try await queue.submit(SetText(note: "a", text: "a1"))
        cache.performBatchUpdates { _ in
            queue.discard(pending.id)
            #expect(fixture.rolledBack.all.isEmpty)
        }
        #expect(fixture.rolledBack.count == 1)
    }

    @Test func removalOfAllEndsTheMutationsAndReportsThem() async throws {
        let queue = fixture.queue()
        let first = try await queue.submit(SetText(note: "a", text: "a1"))
        let second = try await queue.submit(SetText(note: "a", text: "a2"))
        #expect(await fixture.untilWaiting(["a=a1"]))
        cache.removeAll()
        #expect(fixture.rolledBack.count == 2)
        server.answer("a=a1", with: .success("A1"))
        await #expect(throws: MutationError.removed) { try await first.value }
        await #expect(throws: MutationError.removed) { try await second.value }
        #expect(fixture.text("a") == nil)
        #expect(queue.pending.elements.isEmpty)

        cache.set(Note(id: "a", text: "a3"))
        let third = try await queue.submit(SetText(note: "a", text: "a4"))
        #expect(await fixture.untilWaiting(["a=a4"]))
        server.answer("a=a4", with: .success("A4"))
        #expect(try await third.value.text == "A4!")
    }

    @Test func mutationsThatEndTogetherAreNotSent() async throws {
        let queue = fixture.queue()
        for number in 1...50 { try await queue.submit(SetText(note: "a", text: "\(number)")) }
        #expect(await fixture.untilWaiting(["a=1"]))
        cache.removeAll()
        #expect(fixture.rolledBack.count == 50)
        #expect(await until { server.waiting.isEmpty })
        for text in ["x", "y"] {
            let pending = try await queue.submit(SetText(note: "a", text: text))
            #expect(await fixture.untilWaiting(["a=\(text)"]))
            server.answer("a=\(text)")
            _ = try await pending.value
        }
        #expect(server.log == ["a=1", "a=x", "a=y"])
    }

    @Test func queuesInMemoryDoNotShareMutations() async throws {
        let queue = fixture.queue()
        let other = fixture.queue()
        try await queue.submit(SetText(note: "a", text: "a1"))
        #expect(queue.pending.elements.count == 1)
        #expect(other.pending.elements.isEmpty)
        #expect(await fixture.untilWaiting(["a=a1"]))
        #expect(cache.pendingLayers.elements.count == 1)
    }

    @Test func pruningKeepsPendingMutations() async throws {
        let queue = fixture.queue()
        queue.pause()
        let pending = try await queue.submit(SetText(note: "a", text: "a1"))
        cache.pruneUnobservedValues()
        #expect(queue.pending.elements.map(\.id) == [pending.id])
        #expect(fixture.rolledBack.all.isEmpty)
    }

    @Test func releasedQueueRollsItsEditsBack() async throws {
        var queue: MutationQueue? = fixture.queue()
        let pending = try await queue?.submit(SetText(note: "a", text: "a1"))
        #expect(await fixture.untilWaiting(["a=a1"]))
        queue = nil
        // A task of the queue may retain it for a moment.
        #expect(await until { fixture.text("a") == "a0" })
        await #expect(throws: MutationError.closed) { try await pending?.value }
        #expect(await until { server.waiting.isEmpty })
        #expect(cache.count(of: PendingMutation.self) == 0)
    }

    @Test func unlistedTypesAndEqualNamesTrap() async {
        let unlisted = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let queue = Cache().mutations(with: StubServer()) { Ping.self }
            try await queue.submit(SetText(note: "a", text: "a1"))
        }
        #expect(unlisted?.message.contains("The queue doesn't list SetText") == true)
        let equal = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            _ = Cache().mutations(with: StubServer()) {
                Ping.self
                Ping.self
            }
        }
        #expect(equal?.message.contains("have the name \"ping\"") == true)
    }
}
