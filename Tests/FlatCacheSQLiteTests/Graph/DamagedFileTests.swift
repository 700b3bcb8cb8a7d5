import FlatCache
import Foundation
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

/// Random damage to the file of a graph.
///
/// `FLATCACHE_SEEDS=500` flips bits at 10,000 places.
struct DamagedFileTests {
    private static let count = 300

    /// Returns the bytes of a file with rows in each of two types.
    private func original() async throws -> Data {
        let folder = try GraphFolder()
        let cache = Cache()
        let graph = try folder.graph()
        try await graph.attach(to: cache)
        cache.set(contentsOf: (0..<Self.count).map { Book(id: $0, title: "The book \($0)") })
        cache.set(contentsOf: (0..<Self.count).map { Author(id: "id \($0)", name: "Name \($0)") })
        try await graph.detach()
        return try Data(contentsOf: folder.url)
    }

    @Test func flippedBitsLoseNoOtherRows() async throws {
        let original = try await original()
        let flips = 20
        for seed in RandomTestSettings(seeds: 2).seeds {
            var generator = SplitMix64(seed: seed)
            for _ in 0..<flips {
                let position = generator.below(original.count)
                let bit = UInt8(1) << generator.below(8)
                let problem = try await problem(of: original, flipping: bit, at: position)
                guard let problem else { continue }
                FailureReport(
                    seed: seed,
                    step: nil,
                    problem: "Bit \(bit) of byte \(position): \(problem)"
                )
                .record()
                return
            }
        }
    }

    /// Returns copies of a small file with an author, in each of which another page is overwritten.
    private func overwrittenFiles() async throws -> [Data] {
        let folder = try GraphFolder()
        let cache = Cache()
        let graph = try folder.graph()
        try await graph.attach(to: cache)
        cache.set(Author(id: "a", name: "Name"))
        try await graph.detach()
        let original = try Data(contentsOf: folder.url)
        let pageSize = 4096
        return stride(from: 0, to: original.count, by: pageSize).map { start in
            var damaged = original
            let bytes = repeatElement(0xEE as UInt8, count: pageSize)
            damaged.replaceSubrange(start..<(start + pageSize), with: bytes)
            return damaged
        }
    }

    @Test("A page that is overwritten is recovered once, whatever it contains")
    func overwrittenPagesAreRecovered() async throws {
        for (index, damaged) in try await overwrittenFiles().enumerated() {
            let folder = try GraphFolder()
            try damaged.write(to: folder.url)
            let cache = Cache()
            let graph = try folder.graph()
            try await graph.attach(to: cache)
            if cache.get(Author.self, id: "a") == nil {
                #expect(folder.errors.all.map(\.kind) == [.corrupt], "page \(index + 1)")
            }
            _ = try await graph.statistics
            cache.set(Author(id: "b", name: "Name"))
            try await graph.flush(surviving: .powerLoss)
            #expect(folder.errors.count <= 1, "page \(index + 1)")
            try await graph.suspend()
            try await graph.resume()
            try await graph.detach()
            let reported = folder.errors.count
            let copy = Cache()
            let next = try folder.graph()
            try await next.attach(to: copy)
            #expect(copy.get(Author.self, id: "b") != nil, "page \(index + 1)")
            #expect(folder.errors.count == reported, "page \(index + 1)")
            try await next.detach()
        }
    }

    @Test("A damaged file in the place of a graph's file is replaced", arguments: [false, true])
    func damagedReplacingFilesAreRecovered(isSuspended: Bool) async throws {
        for (index, damaged) in try await overwrittenFiles().enumerated() {
            let folder = try GraphFolder()
            let cache = Cache()
            let graph = try folder.graph()
            try await graph.attach(to: cache)
            cache.set(Author(id: "b", name: "Name"))
            try await graph.flush()
            if isSuspended { try await graph.suspend() }
            // If the graph noticed the removal alone, it would create another file first.
            try await graph.engine.withoutOtherWork {
                for name in try folder.contents {
                    try FileManager.default.removeItem(at: folder.file(name))
                }
                try damaged.write(to: folder.url)
            }
            if isSuspended { try await graph.resume() }
            cache.set(Author(id: "c", name: "Name"))
            try await graph.flush()
            let corrupt = folder.errors.all.filter { $0.kind == .corrupt }
            #expect(corrupt.count <= 1, "page \(index + 1)")
            try await graph.detach()
            let copy = Cache()
            let next = try folder.graph()
            try await next.attach(to: copy)
            let ids = Set(copy.ids(of: Author.self))
            #expect(ids.isSuperset(of: ["b", "c"]), "page \(index + 1)")
            #expect(ids.contains("a") || corrupt.count == 1, "page \(index + 1)")
            try await next.detach()
        }
    }

    /// Returns the first problem of a graph whose file has a damaged byte.
    private func problem(
        of original: Data,
        flipping bit: UInt8,
        at position: Int
    ) async throws -> String? {
        let folder = try GraphFolder()
        var damaged = original
        damaged[position] ^= bit
        try damaged.write(to: folder.url)
        let cache = Cache()
        let graph: SQLiteGraph
        do {
            graph = try folder.graph()
            try await graph.attach(to: cache)
        } catch {
            // The file seems to belong to another program or version, and stays.
            let kinds: [SQLiteGraphError.Kind] = [.foreign, .newerVersion]
            guard let error = error as? SQLiteGraphError, kinds.contains(error.kind) else {
                return "\(error)"
            }
            return nil
        }
        let books = cache.count(of: Book.self)
        let authors = cache.count(of: Author.self)
        // Rows are missing only if an error was reported.
        let missing = 2 * Self.count - books - authors
        if missing > 0, folder.errors.all.isEmpty {
            return "\(missing) rows are missing silently."
        }
        // A single byte damages one page, and a page has about a hundred rows. The root of a table
        // leads to all of them.
        let isSchema = position < 4096
        let usesSalvage = folder.errors.all.contains { $0.kind == .corrupt }
        if missing > 1, !isSchema, !usesSalvage,
            !folder.errors.all.allSatisfy({ $0.kind == .undecodable })
        {
            return "\(missing) rows are missing: \(folder.errors.all)"
        }
        cache.set(Book(id: 1_000, title: "Later"))
        // If a page that only a write visits is damaged, the graph replaces the file.
        try await graph.flush()
        let copy = try await graph.load(Book.self, id: 1_000)
        return copy?.title == "Later" ? nil : "A later value can't be stored."
    }
}

extension GraphEngine {
    /// Runs a closure on the thread of the graph, which does nothing else in the meantime.
    fileprivate func withoutOtherWork(_ body: () throws -> Void) rethrows { try body() }
}
