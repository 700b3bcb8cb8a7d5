import FlatCache
import Foundation
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

/// Random commits, evictions, flushes and restarts, compared with dictionaries.
struct GraphModelTests {
    @Test func graphAgreesWithItsModel() async throws {
        let settings = RandomTestSettings(seeds: 4, steps: 150)
        for seed in settings.seeds {
            var generator = SplitMix64(seed: seed)
            let run = try GraphRun()
            try await run.start()
            var operations: [String] = []
            for step in 0..<settings.steps {
                let operation = GraphOperation.random(&generator, step: step)
                operations.append("\(operation)")
                guard let problem = try await run.difference(after: operation) else { continue }
                FailureReport(seed: seed, step: step, operations: operations, problem: problem)
                    .record()
                return
            }
        }
    }
}

/// A graph with its cache, and the model of both.
private final class GraphRun {
    private let folder: GraphFolder
    private var cache: Cache
    private var graph: SQLiteGraph
    /// The entities as the cache and the file together contain them.
    private var books: [Int: Book] = [:]
    private var profiles: [Int: Profile] = [:]
    private var lists: [String: NaiveList] = [:]
    private var aliases: [String: Int] = [:]

    init() throws {
        folder = try GraphFolder()
        cache = Self.makeCache()
        graph = try Self.makeGraph(folder)
    }

    private static func makeCache() -> Cache {
        var configuration = CacheConfiguration()
        configuration.limit(Book.self, .count(7))
        configuration.limit(Profile.self, .count(7))
        return Cache(configuration: configuration)
    }

    private static func makeGraph(_ folder: GraphFolder) throws -> SQLiteGraph {
        try folder.graph(lockTimeout: .milliseconds(5)) {
            Durable(Book.self, "book", load: .atStart)
            Durable(Profile.self, "profile")
            for name in GraphOperation.Write.names {
                DurableList(name, of: Profile.self, load: name == "third" ? .onDemand : .atStart)
            }
            DurableAliases(of: Book.self)
        }
    }

    func start() async throws { try await graph.attach(to: cache) }

    /// Attaches another graph to a new cache; returns the first difference of the lists and aliases
    /// that it loads.
    private func restart() async throws -> String? {
        graph = try Self.makeGraph(folder)
        try await start()
        for name in GraphOperation.Write.names {
            let list = cache.list(name, of: Profile.self)
            let expected = lists[name] ?? NaiveList()
            if list.ids != expected.ids || list.next != expected.next
                || list.startCursor != expected.startCursor
            {
                return "The loaded list is \(list.ids) \(list.next), not \(expected)."
            }
            let missing = list.ids.filter { profiles[$0] != nil && cache[Profile.self, $0] == nil }
            if name != "third", !missing.isEmpty { return "\(name) lacks \(missing)." }
            let target = cache.alias(name, of: Book.self).target
            if target != aliases[name] { return "\(name) is \(String(describing: target))." }
        }
        return nil
    }

    func difference(after operation: GraphOperation) async throws -> String? {
        switch operation {
        case .commit(let writes):
            cache.performBatchUpdates { batch in
                for write in writes { perform(write, in: batch) }
            }
            return listDifference()
        case .loadBook(let book):
            let value = try await graph.load(Book.self, id: book)
            return value == books[book] ? nil : "book \(book) is \(String(describing: value))"
        case .loadProfile(let profile):
            // Before a flush, the cache may hold a part of the value.
            _ = try await graph.load(Profile.self, id: profile)
            return nil
        case .prune:
            cache.pruneUnobservedValues()
            return nil
        case .flush:
            try await graph.flush()
        case .restart:
            try await graph.detach()
            cache = Self.makeCache()
            if let problem = try await restart() { return problem }
        case .replaceCache:
            // The engine writes the last changes before it does anything else.
            cache = Self.makeCache()
            guard await untilDetached(graph) else { return "The graph stays attached." }
            if let problem = try await restart() { return problem }
            try await graph.flush()
        case .failedFlush:
            let other = try Database(path: folder.url.path, lockTimeout: .zero)
            try other.execute("BEGIN IMMEDIATE")
            _ = try? await graph.flush()
            try other.execute("COMMIT")
            return nil
        }
        return try await difference()
    }

    private func perform(_ write: GraphOperation.Write, in batch: CacheBatch) {
        switch write {
        case .setBook(let book):
            batch.set(book)
            books[book.id] = book
        case .removeBook(let id):
            batch.remove(Book.self, id: id)
            books[id] = nil
        case .removeAllBooks:
            batch.removeAll(Book.self)
            books = [:]
        case .setProfile(let profile):
            batch.set(profile)
            profiles[profile.id] = profiles[profile.id]?.merged(with: profile) ?? profile
        case .replaceProfile(let profile):
            batch.replace(profile)
            profiles[profile.id] = profile
        case .removeProfile(let id):
            batch.remove(Profile.self, id: id)
            profiles[id] = nil
        case .edit(let name, let edit):
            let list = batch.list(name, of: Profile.self)
            // A pruned list is still in the file, but edits begin with an empty one.
            let former = batch.get(ListState<Profile>.self, id: name).flatMap { _ in lists[name] }
            var edited = former ?? NaiveList()
            let cursor = edited.lastCursor
            edit.perform(on: &edited)
            #expect(throws: Never.self) { try edit.perform(on: list, after: cursor) }
            if edited != former ?? NaiveList() { lists[name] = edited }
        case .point(let name, let id):
            batch.alias(name, of: Book.self).target = id
            aliases[name] = id
        case .removeEverything:
            batch.removeAll()
            (books, profiles, lists, aliases) = ([:], [:], [:], [:])
        }
    }

    /// Returns the first difference of the lists and aliases in memory from the model.
    private func listDifference() -> String? {
        for name in GraphOperation.Write.names {
            if let state = cache.get(ListState<Profile>.self, id: name) {
                let list = cache.list(name, of: Profile.self)
                guard let expected = lists[name], state.ids == expected.ids,
                    list.next == expected.next, list.startCursor == expected.startCursor
                else { return "\(name) is \(state.ids) \(list.next)." }
            }
            if let target = cache.alias(name, of: Book.self).target, target != aliases[name] {
                return "\(name) points to \(target)."
            }
        }
        return nil
    }

    /// Returns the first difference from the model after a flush.
    private func difference() async throws -> String? {
        if let error = folder.errors.all.first { return "\(error)" }
        let statistics = try await graph.statistics
        let counts = [
            "book": books.count, "profile": profiles.count, "flatcache_lists_profile": lists.count,
            "flatcache_aliases_book": aliases.count,
        ]
        if statistics.rowCounts != counts {
            let ids = try folder.run("SELECT id FROM profile") + folder.run("SELECT id FROM book")
            return """
                The file has \(statistics.rowCounts) with \(ids), not \(books.keys.sorted()) and \
                \(profiles.keys.sorted()).
                """
        }
        if let problem = listDifference() { return problem }
        for book in cache.values(of: Book.self) where books[book.id] != book {
            return "The cache has \(book)."
        }
        for profile in cache.values(of: Profile.self) where profiles[profile.id] != profile {
            return "The cache has \(profile)."
        }
        for (id, profile) in profiles {
            let value = try await graph.load(Profile.self, id: id)
            if value != profile { return "\(profile) is \(String(describing: value))." }
        }
        for (id, book) in books {
            let value = try await graph.load(Book.self, id: id)
            if value != book { return "\(book) is \(String(describing: value))." }
        }
        return nil
    }
}
