import FlatCache
import FlatCacheFoundation
import FlatCacheTesting
import Foundation
import TestSupport
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

struct StoredMutationTests {
    private let folder: GraphFolder

    init() throws {
        folder = try GraphFolder()
    }

    /// Runs a launch that leaves mutations in the file, and a book that they change.
    private func leave(
        _ mutations: [Retitle],
        account: String = "me"
    ) async throws {
        let launch = try MutationLaunch(in: folder)
        let queue = try await launch.pausedQueue(account: account)
        launch.cache.set(contentsOf: (1...3).map { Book(id: $0, title: "\($0)") })
        for mutation in mutations { try await queue.submit(mutation) }
        try await launch.graph.detach()
    }

    @Test func fileContainsAMutationWhenItsSubmissionReturns() async throws {
        let launch = try MutationLaunch(in: folder)
        let queue = try await launch.queue()
        launch.cache.set(Book(id: 1, title: "1"))
        let pending = try await queue.submit(Retitle(book: 1, title: "a"))
        #expect(try folder.mutationCount == 1)
        // The file has the confirmed title.
        #expect(try await folder.title(1) == "1")
        #expect(launch.title(1) == "a")
        #expect(await launch.untilWaiting(["1=a"]))
        launch.server.answer("1=a", with: .success("A"))
        #expect(try await pending.value == "A")
        try await launch.graph.flush()
        #expect(try folder.mutationCount == 0)
        #expect(try await folder.title(1) == "A")
        #expect(folder.errors.all.isEmpty)
    }

    @Test func mutationIsStoredBeforeItIsSent() async throws {
        let launch = try MutationLaunch(in: folder)
        let queue = try await launch.queue()
        // The submission can't return while the file is locked, and nothing may be sent.
        let other = try Database(path: folder.url.path, lockTimeout: .seconds(1))
        try other.execute("BEGIN IMMEDIATE")
        let submission = Task { try await queue.submit(Retitle(book: 1, title: "a")) }
        #expect(await until { !queue.pending.elements.isEmpty })
        let waits = Recorder<Int>()
        await launch.graph.engine.onWaitForLock { waits.append(0) }
        #expect(await until { waits.count > 2 })
        #expect(launch.server.log.isEmpty)
        try other.execute("COMMIT")
        _ = try await submission.value
        #expect(await launch.untilWaiting(["1=a"]))
    }

    @Test func mutationsAreShownAndSentAfterARestart() async throws {
        try await leave([
            Retitle(book: 1, title: "a"), Retitle(book: 2, title: "b"),
            Retitle(book: 1, title: "c"),
        ])
        let launch = try MutationLaunch(in: folder)
        let titles = Recorder<String>()
        let token = launch.cache.observeAll(Book.self) { [cache = launch.cache] _ in
            titles.append((1...3).compactMap { cache[Book.self, $0]?.title }.joined())
        }
        let queue = try await launch.queue()
        #expect(launch.title(1) == "c")
        #expect(launch.title(2) == "b")
        #expect(launch.cache.confirmed[Book.self, 1]?.title == "1")
        // No commit has shown a row without the edits.
        #expect(titles.all == ["cb3"])
        #expect(queue.pending.elements.count == 3)

        #expect(await launch.untilWaiting(["1=a", "2=b"]))
        launch.server.answer("1=a", with: .success("A"))
        launch.server.answer("2=b", with: .success("B"))
        #expect(await launch.untilWaiting(["1=c"]))
        launch.server.answer("1=c", with: .success("C"))
        #expect(await until { queue.pending.elements.isEmpty })
        try await launch.graph.flush()
        #expect(try folder.mutationCount == 0)
        #expect(try await folder.title(1) == "C")
        #expect(try await folder.title(2) == "B")
        #expect(folder.errors.all.isEmpty)
        token.dispose()
    }

    @Test func keyIsTheSameAfterARestart() async throws {
        try await leave([Retitle(book: 1, title: "a")])
        var keys: [UUID] = []
        for _ in 0..<2 {
            let launch = try MutationLaunch(in: folder)
            let queue = try await launch.pausedQueue()
            keys += queue.pending.elements.map(\.key)
            try await launch.graph.detach()
        }
        #expect(keys.count == 2 && Set(keys).count == 1)
    }

    @Test func queueCanFollowTheGraph() async throws {
        try await leave([Retitle(book: 1, title: "a")])
        let launch = try MutationLaunch(in: folder)
        try await launch.graph.attach(to: launch.cache)
        #expect(launch.title(1) == "1")
        let queue = try await launch.pausedQueue()
        #expect(launch.title(1) == "a")
        #expect(queue.pending.elements.count == 1)
    }

    @Test func rollBackAfterARestartIsReported() async throws {
        try await leave([Retitle(book: 1, title: "a")])
        let launch = try MutationLaunch(in: folder)
        let queue = try await launch.queue()
        #expect(await launch.untilWaiting(["1=a"]))
        launch.server.answer("1=a", with: .failure(Refusal()))
        #expect(await until { launch.rolledBack.count == 1 })
        #expect(launch.rolledBack.all == ["\(Retitle(book: 1, title: "a")) Refusal()"])
        #expect(launch.title(1) == "1")
        try await launch.graph.flush()
        #expect(try folder.mutationCount == 0)
        #expect(queue.pending.elements.isEmpty)
    }

    @Test func accountsDoNotSeeEachOthersMutations() async throws {
        try await leave([Retitle(book: 1, title: "a")], account: "1")
        try await leave([Retitle(book: 2, title: "b")], account: "1/2")
        let launch = try MutationLaunch(in: folder)
        var queue: MutationQueue? = try await launch.pausedQueue(account: "1")
        #expect(launch.title(1) == "a")
        #expect(launch.title(2) == "2")
        #expect(queue?.pending.elements.count == 1)
        // The user logs out.
        queue = nil
        #expect(launch.title(1) == "1")
        let other = try await launch.pausedQueue(account: "1/2")
        #expect(launch.title(1) == "1")
        #expect(launch.title(2) == "b")
        #expect(other.pending.elements.count == 1)
    }

    @Test func removalOfAllKeepsTheMutationsOfOtherAccounts() async throws {
        try await leave([Retitle(book: 1, title: "a"), Retitle(book: 2, title: "b")])
        try await leave([Retitle(book: 3, title: "c")], account: "you")
        let launch = try MutationLaunch(in: folder)
        let queue = try await launch.pausedQueue()
        launch.cache.removeAll()
        #expect(launch.rolledBack.count == 2)
        #expect(queue.pending.elements.isEmpty)
        try await queue.submit(Retitle(book: 1, title: "d"))
        #expect(try folder.mutationCount == 2)
        try await launch.graph.detach()

        let next = try MutationLaunch(in: folder)
        let other = try await next.pausedQueue(account: "you")
        #expect(other.pending.elements.count == 1)
        #expect(next.title(3) == nil)
    }

    @Test func removalOfAllConcernsTheAccountAtItsTime() async throws {
        try await leave([Retitle(book: 1, title: "a")])
        try await leave([Retitle(book: 3, title: "c")], account: "you")
        let launch = try MutationLaunch(in: folder)
        var queue: MutationQueue? = try await launch.pausedQueue()
        launch.cache.removeAll()
        #expect(queue?.pending.elements.isEmpty == true)
        queue = nil
        // Another user logs in before the next flush.
        let other = try await launch.pausedQueue(account: "you")
        #expect(other.pending.elements.count == 1)
        try await launch.graph.flush()
        #expect(try folder.run("SELECT id LIKE '3:you/%' FROM flatcache_mutations") == ["1"])
    }

    @Test func removalOfAllWithoutAQueueKeepsAllMutations() async throws {
        try await leave([Retitle(book: 1, title: "a")])
        let launch = try MutationLaunch(in: folder)
        try await launch.graph.attach(to: launch.cache)
        launch.cache.removeAll()
        try await launch.graph.flush()
        #expect(try folder.run("SELECT count(*) FROM book") == ["0"])
        #expect(try folder.mutationCount == 1)
    }

    @Test func closedQueueKeepsItsMutationsWhenAllIsRemoved() async throws {
        do {
            let launch = try MutationLaunch(in: folder)
            let queue = try await launch.pausedQueue()
            launch.cache.set(Book(id: 1, title: "1"))
            try await queue.submit(Retitle(book: 1, title: "a"))
            // This removal ends the mutation, though it's written after the queue was closed.
            launch.cache.removeAll()
            launch.cache.set(Book(id: 1, title: "1"))
            try await queue.submit(Retitle(book: 1, title: "b"))
            await queue.close()
            #expect(launch.title(1) == "1")
            launch.cache.removeAll()
            try await launch.graph.detach()
        }
        let launch = try MutationLaunch(in: folder)
        let queue = try await launch.queue()
        #expect(launch.title(1) == nil)
        #expect(await launch.untilWaiting(["1=b"]))
        #expect(queue.pending.elements.count == 1)
    }

    @Test func secondCloseDoesNotConcernTheNextQueue() async throws {
        let launch = try MutationLaunch(in: folder)
        let old = try await launch.pausedQueue()
        await old.close()
        let queue = try await launch.pausedQueue()
        await old.close()
        try await queue.submit(Retitle(book: 1, title: "a"))
        #expect(try folder.mutationCount == 1)
        launch.cache.removeAll()
        try await launch.graph.flush()
        #expect(try folder.mutationCount == 0)
    }

    @Test func failuresAreCountedInTheFile() async throws {
        do {
            let launch = try MutationLaunch(in: folder)
            let queue = try await launch.queue()
            try await queue.submit(Retitle(book: 1, title: "a"))
            #expect(await launch.untilWaiting(["1=a"]))
            launch.server.answer("1=a", with: .failure(CancellationError()))
            #expect(await until { launch.clock.sleeperCount == 1 })
            await queue.close()
            try await launch.graph.detach()
        }
        let launch = try MutationLaunch(in: folder)
        let queue = try await launch.pausedQueue()
        #expect(queue.pending.elements.map(\.failureCount) == [1])
        #expect(queue.pending.elements.map(\.lastError) == ["CancellationError()"])
    }

    @Test func detachedGraphSendsNothingUntilItIsAttachedAgain() async throws {
        let launch = try MutationLaunch(in: folder)
        let queue = try await launch.queue()
        try await launch.graph.detach()
        try await queue.submit(Retitle(book: 1, title: "a"))
        #expect(await until { launch.clock.sleeperCount == 1 || !launch.server.log.isEmpty })
        #expect(launch.server.log.isEmpty)
        try await launch.graph.attach(to: launch.cache)
        launch.clock.advance(by: .seconds(1))
        #expect(await launch.untilWaiting(["1=a"]))
        #expect(try folder.mutationCount == 1)
    }

    @Test func graphKeepsNoMutationsOfAQueueInMemory() async throws {
        let launch = try MutationLaunch(in: folder)
        let queue = try await launch.queue()
        let server = StubServer()
        let inMemory = launch.cache.mutations(with: server, account: "me") { Retitle.self }
        try await inMemory.submit(Retitle(book: 1, title: "a"))
        try await launch.graph.flush()
        #expect(try folder.mutationCount == 0)
        #expect(queue.pending.elements.isEmpty)
        #expect(await until { server.waiting == ["1=a"] })
    }

    @Test func laterVersionDecidesTheScope() async throws {
        try await leave([Retitle(book: 1, title: "a"), Retitle(book: 2, title: "b")])
        let launch = try MutationLaunch(in: folder)
        let queue = try await launch.queue {
            SharedRetitle.self
            AddBook.self
        }
        try await queue.submit(AddBook(draft: -1, title: "c"))
        #expect(await until { Set(["1=a", "add -1"]).isSubset(of: launch.server.log) })
        #expect(Set(launch.server.log) == ["1=a", "add -1"])
        launch.server.answer("1=a")
        #expect(await launch.untilWaiting(["2=b", "add -1"]))
    }

    @Test func releasedQueueOfASuspendedGraphReleasesTheCache() async throws {
        let end = Signal()
        var launch: MutationLaunch? = try MutationLaunch(in: folder)
        launch?.cache.set(Holder(id: 1, object: TrackedObject(end)))
        var queue = try await launch?.pausedQueue()
        try await queue?.submit(Retitle(book: 1, title: "a"))
        let graph = try #require(launch?.graph)
        try await graph.suspend()
        queue?.resume()
        #expect(await until(graph) { $0.mutations.waits.count == 1 })
        queue = nil
        launch = nil
        #expect(await until { end.isFired })
    }

    @Test func temporaryIdentifierIsReplacedInTheTransactionOfTheResponse() async throws {
        do {
            let launch = try MutationLaunch(in: folder)
            let queue = try await launch.queue()
            let added = try await queue.submit(AddBook(draft: -1, title: "new"))
            try await queue.submit(Retitle(book: -1, title: "newer"))
            #expect(await launch.untilWaiting(["add -1"]))
            launch.server.answer("add -1", with: .success("7"))
            #expect(try await added.value == 7)
            #expect(await launch.untilWaiting(["7=newer"]))
            #expect(try folder.mutationCount == 1)
            #expect(try await folder.title(7) == "new")
            #expect(try await folder.title(-1) == nil)
            try await launch.graph.detach()
        }
        let launch = try MutationLaunch(in: folder)
        let queue = try await launch.queue()
        #expect(launch.title(7) == "newer")
        #expect(launch.title(-1) == nil)
        #expect(await launch.untilWaiting(["7=newer"]))
        #expect(queue.pending.elements.count == 1)
    }

    @Test func mutationsOfAnUnknownIdentifierWaitForTheirCreatorAfterARestart() async throws {
        do {
            let launch = try MutationLaunch(in: folder)
            let queue = try await launch.pausedQueue()
            try await queue.submit(AddBook(draft: -1, title: "new"))
            try await queue.submit(Retitle(book: -1, title: "newer"))
            try await launch.graph.detach()
        }
        let launch = try MutationLaunch(in: folder)
        let queue = try await launch.queue()
        #expect(launch.title(-1) == "newer")
        #expect(await launch.untilWaiting(["add -1"]))
        launch.server.answer("add -1", with: .failure(Refusal()))
        #expect(await until { launch.rolledBack.count == 2 })
        #expect(launch.title(-1) == nil)
        #expect(queue.pending.elements.isEmpty)
    }
}

/// A later version of `Retitle`, whose mutations share a scope.
private struct SharedRetitle: CacheMutation {
    static let name = "retitle"
    let book: Int
    let title: String

    func show(in layer: CacheLayer) {}

    func send(with server: StubServer, attempt: MutationAttempt) async throws -> String {
        try await server.send("\(book)=\(title)")
    }
}

private struct Holder: Identifiable, Sendable {
    let id: Int
    let object: TrackedObject
}
