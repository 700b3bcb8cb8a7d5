import FlatCache
import FlatCacheFoundation
import FlatCacheTesting
import Foundation
import TestSupport
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

/// A mutation that changes the title of a book.
struct Retitle: CacheMutation, Equatable {
    static let name = "retitle"
    var book: Int
    var title: String

    var scope: MutationScope { .entity(Book.self, book) }

    func show(in layer: CacheLayer) {
        layer.update(Book.self, id: book) { [title] in $0.title = title }
    }

    func send(with server: StubServer, attempt: MutationAttempt) async throws -> String {
        try await server.send("\(book)=\(title)")
    }

    func apply(_ response: String, to batch: CacheBatch) {
        batch.set(Book(id: book, title: response))
    }

    mutating func replace(_ replaced: ReplacedIdentifier) {
        replaced.replace(&book, of: Book.self)
    }
}

/// A mutation that adds a book under a temporary identifier.
struct AddBook: CacheMutation, Equatable {
    static let name = "add-book"
    var draft: Int
    var title: String

    var scope: MutationScope { .entity(Book.self, draft) }

    func show(in layer: CacheLayer) { layer.set(Book(id: draft, title: title)) }

    func send(with server: StubServer, attempt: MutationAttempt) async throws -> Int {
        Int(try await server.send("add \(draft)")) ?? 0
    }

    func apply(_ response: Int, to batch: CacheBatch) {
        batch.set(Book(id: response, title: title))
        batch.replaceIdentifier(of: Book.self, from: draft, to: response)
    }
}

/// A launch of a program that stores mutations: a cache with a graph of a file, and a server.
struct MutationLaunch {
    let folder: GraphFolder
    let clock = ManualClock()
    let cache: Cache
    let graph: SQLiteGraph
    let server = StubServer()
    let rolledBack = Recorder<String>()
    let diagnostics = Recorder<String>()

    init(in folder: GraphFolder, wallClock: ManualClock = ManualClock()) throws {
        self.folder = folder
        var configuration = CacheConfiguration(clock: clock)
        configuration.onDiagnostic = { [diagnostics] in diagnostics.append("\($0)") }
        cache = Cache(configuration: configuration)
        // A lock that another launch holds for long is no failure.
        graph = try folder.graph(lockTimeout: hangLimit, wallClock: wallClock.wallClock) {
            Durable(Book.self, "book", load: .atStart)
        }
    }

    func queue(
        account: String = "me",
        @MutationBuilder<StubServer> _ types: @Sendable () -> [any CacheMutation<StubServer>.Type]
    ) async throws -> MutationQueue<StubServer> {
        try await cache.mutations(with: server, account: account, storedIn: graph, types) {
            [rolledBack] mutation, error in
            rolledBack.append("\(mutation) \(error)")
        }
    }

    func queue(account: String = "me") async throws -> MutationQueue<StubServer> {
        try await queue(account: account) {
            Retitle.self
            AddBook.self
        }
    }

    /// Creates a queue that sends nothing yet.
    func pausedQueue(account: String = "me") async throws -> MutationQueue<StubServer> {
        let queue = try await queue(account: account)
        queue.pause()
        return queue
    }

    /// The title that is shown.
    func title(_ id: Int) -> String? { cache[Book.self, id]?.title }

    func untilWaiting(_ requests: [String]) async -> Bool {
        await until { Set(server.waiting) == Set(requests) }
    }
}

extension GraphFolder {
    /// The number of submitted mutations in the file.
    var mutationCount: Int {
        get throws { Int(try run("SELECT count(*) FROM flatcache_mutations")[0]) ?? -1 }
    }

    /// Returns the title of a book in the file.
    func title(_ id: Int) async throws -> String? {
        try await graph { Durable(Book.self, "book") }.load(Book.self, id: id)?.title
    }
}
