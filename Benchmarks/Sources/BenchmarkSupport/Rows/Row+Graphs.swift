#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache
import FlatCacheSQLite
import Foundation

extension Row {
    /// Rows of durable graphs.
    static let graphRows = [
        Row("32a", "flush of 100,000 new entities", against: rawInserts, target: 1.3) { scale in
            .ifPossible { try flushes(scale(100_000)) }
        },
        Row("32b", "load of 100,000 rows at the start", against: rawScan, target: 1.25) { scale in
            .ifPossible { try loads(scale(100_000)) }
        },
        Row("32c", "set that replaces, attached", against: unattached, target: 1.15) { scale in
            .ifPossible { try sets(scale(100_000)) }
        },
        Row("32d", "get, attached", against: unattached, target: 1.02) { scale in
            .ifPossible { try gets(scale(100_000)) }
        },
        Row("32e", "open, attach, load one of 1,000,000 rows", against: goal, target: 1) { scale in
            .ifPossible { try openings(scale(1_000_000)) }
        },
    ]

    private static let rawInserts = "prepared inserts of the same bytes"
    private static let rawScan = "a scan that decodes into a dictionary"
    private static let goal = "the goal, 5 ms"
    private static let unattached = "FlatCache without a graph"

    // MARK: Contests

    private static func flushes(_ count: Int) throws -> Contest {
        let books = StoredBook.books(0..<count)
        let rows = try books.map { try CompactRowCoder().encode($0) }
        return Contest {
            measure(per: count) { folder in
                let table = RawTable(path: folder.file("raw.sqlite").path)
                return { try table.insert(rows) }
            }
        } subject: {
            measure(per: count) { folder in
                let cache = Cache()
                let graph = try attachedGraph(folder.file("graph.sqlite"), to: cache)
                cache.set(contentsOf: books)
                return {
                    try wait { try await graph.flush() }
                    // The last changes of a deallocated cache are flushed in another way.
                    withExtendedLifetime(cache) {}
                }
            }
        }
    }

    private static func loads(_ count: Int) throws -> Contest {
        let folder = try fileOfBooks(count)
        let file = folder.file("graph.sqlite")
        return Contest {
            measure(per: count) { _ in
                { blackHole(try RawTable(path: file.path).readAll(StoredBook.self).count) }
            }
        } subject: {
            defer { withExtendedLifetime(folder) {} }
            return measure(per: count) { _ in
                let cache = Cache()
                return { blackHole(try attachedGraph(file, load: .atStart, to: cache)) }
            }
        }
    }

    private static func sets(_ count: Int) throws -> Contest {
        let (plain, attached) = try caches(count)
        var edition = 0
        return Contest {
            edition += 1
            let incoming = StoredBook.books(0..<count, edition: edition)
            return Round(
                baseline: Stopwatch.nanoseconds(per: count) {
                    for book in incoming { plain.set(book) }
                },
                subject: Stopwatch.nanoseconds(per: count) {
                    for book in incoming { attached.cache.set(book) }
                }
            )
        }
    }

    private static func gets(_ count: Int) throws -> Contest {
        let (plain, attached) = try caches(count)
        func read(_ cache: Cache) -> Double {
            Stopwatch.nanoseconds(per: count) {
                for id in 0..<count { blackHole(cache.get(StoredBook.self, id: id)) }
            }
        }
        return Contest {
            read(plain)
        } subject: {
            read(attached.cache)
        }
    }

    private static func openings(_ count: Int) throws -> Contest {
        let folder = try fileOfBooks(count)
        let file = folder.file("graph.sqlite")
        let id = count / 2
        return Contest {
            5_000_000
        } subject: {
            defer { withExtendedLifetime(folder) {} }
            return measure(per: 1) { _ in
                let cache = Cache()
                return {
                    let graph = try attachedGraph(file, to: cache)
                    try wait { blackHole(try await graph.load(StoredBook.self, id: id)) }
                }
            }
        }
    }

    // MARK: Graphs

    /// A cache with a graph, which is detached before its file is removed.
    private final class AttachedCache {
        let cache = Cache()
        private let folder: ScratchFolder
        private let graph: SQLiteGraph

        init(_ books: [StoredBook]) throws {
            cache.set(contentsOf: books)
            folder = try ScratchFolder()
            graph = try attachedGraph(folder.file("graph.sqlite"), to: cache)
            try wait { [graph] in try await graph.flush() }
        }

        deinit {
            do {
                try wait { [graph] in try await graph.detach() }
            } catch {
                Failures.note(error)
            }
        }
    }

    /// Returns two caches with the same values, of which the second one has a graph.
    private static func caches(_ count: Int) throws -> (Cache, AttachedCache) {
        let plain = Cache()
        let books = StoredBook.books(0..<count)
        plain.set(contentsOf: books)
        return (plain, try AttachedCache(books))
    }

    /// Returns a folder with a file that contains books.
    private static func fileOfBooks(_ count: Int) throws -> ScratchFolder {
        let folder = try ScratchFolder()
        let cache = Cache()
        let graph = try attachedGraph(folder.file("graph.sqlite"), to: cache)
        cache.set(contentsOf: StoredBook.books(0..<count))
        try wait { try await graph.detach() }
        return folder
    }

    /// Returns a graph that flushes only when it's told to.
    static func attachedGraph(
        _ file: URL,
        load loading: DurableLoading = .onDemand,
        to cache: Cache
    ) throws -> SQLiteGraph {
        let graph = try SQLiteGraph(file, flushInterval: .seconds(100_000)) {
            Durable(StoredBook.self, "book", load: loading)
        }
        try wait { try await graph.attach(to: cache) }
        return graph
    }

    // MARK: Measuring

    /// Measures the closure that another one prepares in a new folder.
    private static func measure(
        per operations: Int,
        _ prepare: (ScratchFolder) throws -> () throws -> Void
    ) -> Double {
        do {
            let folder = try ScratchFolder()
            defer { withExtendedLifetime(folder) {} }
            let body = try prepare(folder)
            return try Stopwatch.time(of: body).nanoseconds / Double(operations)
        } catch {
            Failures.note(error)
            return .nan
        }
    }
}
#else
extension Row {
    /// Without SQLite, there are no graphs to measure.
    static let graphRows: [Row] = []
    static let sharedGraphRows: [Row] = []
}
#endif
