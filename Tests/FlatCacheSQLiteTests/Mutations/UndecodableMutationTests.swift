import FlatCache
import FlatCacheFoundation
import FlatCacheTesting
import TestSupport
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

/// Tests of stored mutations that a later version of the program can't decode.
struct UndecodableMutationTests {
    private let folder: GraphFolder

    init() async throws {
        folder = try GraphFolder()
        let launch = try MutationLaunch(in: folder)
        let queue = try await launch.pausedQueue()
        launch.cache.set(contentsOf: [Book(id: 1, title: "1"), Book(id: 2, title: "2")])
        try await queue.submit(Retitle(book: 1, title: "a"))
        try await queue.submit(AddBook(draft: -1, title: "new"))
        try await launch.graph.detach()
    }

    @Test func undecodableMutationIsReportedAndBlocksItsScopeAlone() async throws {
        let launch = try MutationLaunch(in: folder)
        let queue = try await launch.queue {
            PickyRetitle.self
            AddBook.self
        }
        #expect(launch.diagnostics.count == 1)
        let message = try #require(launch.diagnostics.all.first)
        #expect(message.contains("The mutation \"retitle\" can't be decoded"))
        #expect(message.contains("a missing reason"))
        #expect(launch.title(1) == "1")
        #expect(launch.title(-1) == "new")
        #expect(await launch.untilWaiting(["add -1"]))
        #expect(queue.pending.elements.map(\.name) == ["retitle", "add-book"])
        // It remains in the file.
        try await launch.graph.detach()
        #expect(try folder.mutationCount == 2)
    }

    @Test func unlistedMutationCanBeDiscarded() async throws {
        let launch = try MutationLaunch(in: folder)
        let queue = try await launch.queue { AddBook.self }
        #expect(launch.diagnostics.all.first?.contains("lists no type with this name") == true)
        #expect(await launch.untilWaiting(["add -1"]))
        queue.discard(queue.pending.elements[0].id)
        #expect(queue.pending.elements.map(\.name) == ["add-book"])
        #expect(launch.rolledBack.all.isEmpty)
        try await launch.graph.detach()
        #expect(try folder.mutationCount == 1)
    }

    @Test func laterMutationsOfTheScopeWaitUntilItIsDiscarded() async throws {
        do {
            let launch = try MutationLaunch(in: folder)
            let queue = try await launch.pausedQueue()
            try await queue.submit(Retitle(book: 1, title: "b"))
            try await launch.graph.detach()
        }
        let launch = try MutationLaunch(in: folder)
        let queue = try await launch.queue {
            PickyRetitle.self
            AddBook.self
        }
        #expect(launch.title(1) == "b")
        #expect(await launch.untilWaiting(["add -1"]))
        queue.discard(queue.pending.elements[0].id)
        #expect(await launch.untilWaiting(["add -1", "1=b"]))
    }
}

/// A later version of `Retitle`, which can't be decoded with the title "a".
private struct PickyRetitle: CacheMutation {
    static let name = "retitle"
    let retitle: Retitle

    init(from decoder: any Decoder) throws {
        retitle = try Retitle(from: decoder)
        if retitle.title == "a" {
            let context = DecodingError.Context(
                codingPath: [],
                debugDescription: "a missing reason"
            )
            throw DecodingError.dataCorrupted(context)
        }
    }

    func encode(to encoder: any Encoder) throws { try retitle.encode(to: encoder) }

    var scope: MutationScope { retitle.scope }

    func show(in layer: CacheLayer) { retitle.show(in: layer) }

    func send(with server: StubServer, attempt: MutationAttempt) async throws -> String {
        try await retitle.send(with: server, attempt: attempt)
    }
}
