import FlatCache
import FlatCacheFoundation
import FlatCacheTesting
import Foundation
import TestSupport
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

/// Tests of mutations in a file that two processes share, and in suspended graphs.
///
/// Two graphs stand for the processes.
struct SharedMutationTests {
    private let folder: GraphFolder
    private let wallClock = ManualClock()
    private let first: MutationLaunch
    private let second: MutationLaunch

    init() async throws {
        folder = try GraphFolder()
        first = try MutationLaunch(in: folder, wallClock: wallClock)
        second = try MutationLaunch(in: folder, wallClock: wallClock)
    }

    @Test func bothProcessesShowAMutationAndOneSendsIt() async throws {
        let queue = try await first.queue()
        let other = try await second.queue()
        first.cache.set(Book(id: 1, title: "1"))
        let pending = try await queue.submit(Retitle(book: 1, title: "a"))
        #expect(await first.untilWaiting(["1=a"]))
        try await second.graph.flush()
        #expect(await until { second.title(1) == "a" })
        #expect(other.pending.elements.map(\.id) == [pending.id])
        // The other process finds the lease taken, and pauses.
        #expect(await until { second.clock.sleeperCount == 1 || !second.server.log.isEmpty })
        #expect(second.server.log.isEmpty)

        first.server.answer("1=a", with: .success("A"))
        #expect(try await pending.value == "A")
        try await first.graph.flush()
        try await second.graph.flush()
        #expect(await until { other.pending.elements.isEmpty })
        #expect(second.title(1) == "A")
        #expect(second.cache.confirmed[Book.self, 1]?.title == "A")
        #expect(second.rolledBack.all.isEmpty)
        second.clock.advance(by: .seconds(1))
        #expect(await until { second.clock.sleeperCount == 0 })
        #expect(second.server.log.isEmpty)
    }

    @Test func mutationThatAnotherProcessEndsThrows() async throws {
        let queue = try await first.pausedQueue()
        let pending = try await queue.submit(Retitle(book: 1, title: "a"))
        let other = try await second.queue()
        #expect(await second.untilWaiting(["1=a"]))
        second.server.answer("1=a", with: .success("A"))
        #expect(await until { other.pending.elements.isEmpty })
        try await second.graph.flush()
        try await first.graph.flush()
        await #expect(throws: MutationError.endedElsewhere) { try await pending.value }
        #expect(first.title(1) == "A")
        #expect(first.rolledBack.all.isEmpty)
    }

    @Test func responseToAnotherProcessIsShownInPlaceOfTheDraft() async throws {
        let queue = try await first.queue()
        // This observer is called before the queue's.
        let shown = Recorder<[Int]>()
        let token = second.cache.query(Book.self).observe { shown.append($0.map(\.id)) }
        let other = try await second.queue()
        let pending = try await queue.submit(AddBook(draft: -1, title: "a"))
        try await queue.submit(Retitle(book: -1, title: "b"))
        try await second.graph.flush()
        #expect(await until { second.title(-1) == "b" })
        #expect(await first.untilWaiting(["add -1"]))
        first.server.answer("add -1", with: .success("7"))
        #expect(try await pending.value == 7)
        try await first.graph.flush()
        try await second.graph.flush()
        #expect(await until { other.pending.elements.count == 1 && second.title(7) == "b" })
        #expect(shown.all.allSatisfy { $0 == [-1] || $0 == [7] })
        #expect(second.rolledBack.all.isEmpty)
        token.dispose()
    }

    @Test func failureDoesNotUndoTheDiscardOfAnotherProcess() async throws {
        let queue = try await first.queue()
        let other = try await second.queue()
        let pending = try await queue.submit(Retitle(book: 1, title: "a"))
        #expect(await first.untilWaiting(["1=a"]))
        try await second.graph.flush()
        #expect(await until { other.pending.elements.count == 1 })
        other.discard(pending.id)
        try await second.graph.flush()
        first.server.answer("1=a", with: .failure(CancellationError()))
        await #expect(throws: MutationError.endedElsewhere) {
            try await first.graph.flush()
            return try await pending.value
        }
        try await first.graph.flush()
        #expect(try folder.mutationCount == 0)
        #expect(queue.pending.elements.isEmpty)
    }

    @Test func leaseExpiresByTheWallClock() async throws {
        let queue = try await first.queue()
        try await queue.submit(Retitle(book: 1, title: "a"))
        #expect(await first.untilWaiting(["1=a"]))
        // The clock of the first process's graph stands still, so it doesn't renew its lease.
        let other = try await second.queue()
        #expect(await until { second.clock.sleeperCount == 1 || !second.server.log.isEmpty })
        wallClock.advance(by: .milliseconds(9_999))
        second.clock.advance(by: .seconds(1))
        #expect(await until { second.clock.sleeperCount == 1 || !second.server.log.isEmpty })
        #expect(second.server.log.isEmpty)
        wallClock.advance(by: .milliseconds(1))
        second.clock.advance(by: .seconds(1))
        #expect(await second.untilWaiting(["1=a"]))

        // The first process can't begin another attempt.
        first.server.answer("1=a", with: .failure(CancellationError()))
        #expect(await until { first.clock.sleeperCount == 1 })
        first.clock.advance(by: .seconds(10))
        #expect(await until { first.clock.sleeperCount == 1 })
        #expect(first.server.log == ["1=a"])
        #expect(other.pending.elements.count == 1)
    }

    @Test func leaseIsRenewedWhileAnAttemptRuns() async throws {
        let queue = try await first.queue()
        try await queue.submit(Retitle(book: 1, title: "a"))
        #expect(await first.untilWaiting(["1=a"]))
        let expires = "SELECT expires FROM flatcache_sender"
        #expect(try folder.run(expires) == ["10000"])
        wallClock.advance(by: .seconds(1))
        folder.clock.advance(by: .seconds(1))
        #expect(try await until(first.graph) { _ in try folder.run(expires) == ["11000"] })
        first.server.answer("1=a")
        #expect(try await until(first.graph) { _ in try folder.run(expires) == [] })
    }

    @Test func suspensionReleasesTheLease() async throws {
        let queue = try await first.queue()
        try await queue.submit(Retitle(book: 1, title: "a"))
        #expect(await first.untilWaiting(["1=a"]))
        try await first.graph.suspend()
        let other = try await second.queue()
        #expect(await second.untilWaiting(["1=a"]))
        #expect(other.pending.elements.count == 1)
    }

    @Test func submissionToASuspendedGraphReturnsWhenItIsResumed() async throws {
        let queue = try await first.queue()
        first.cache.set(Book(id: 1, title: "1"))
        try await first.graph.suspend()
        let submission = Task { try await queue.submit(Retitle(book: 1, title: "a")) }
        #expect(await until { first.title(1) == "a" })
        let graph = first.graph
        #expect(await until(graph) { $0.mutations.waits.count == 2 })
        #expect(first.server.log.isEmpty)
        try await graph.resume()
        _ = try await submission.value
        #expect(try folder.mutationCount == 1)
        #expect(await first.untilWaiting(["1=a"]))
    }

    @Test func oneGraphOfACacheKeepsItsMutations() async throws {
        let queue = try await first.pausedQueue()
        let graph = try folder.graph { Durable(Author.self, "author") }
        try await graph.attach(to: first.cache)
        try await queue.submit(Retitle(book: 1, title: "a"))
        #expect(try folder.mutationCount == 1)
        try await graph.detach()
    }

    @Test func twoQueuesOfAGraphTrap() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let launch = try MutationLaunch(in: GraphFolder())
            let queue = try await launch.queue()
            _ = try await launch.queue(account: "you")
            withExtendedLifetime(queue) {}
        }
        #expect(result?.message.contains("has a queue of mutations already") == true)
    }
}
