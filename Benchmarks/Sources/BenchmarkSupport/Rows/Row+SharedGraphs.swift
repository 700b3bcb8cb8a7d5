#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache
import FlatCacheSQLite
import Foundation

extension Row {
    /// Rows of the durable graphs of two processes that share a file.
    static let sharedGraphRows = [
        Row(
            "32f",
            "observer after another process's flush, median of 200",
            against: "the goal, 10 ms",
            target: 1
        ) { scale in
            .ifPossible { try notifications(scale(slow: 200), percent: 50, goal: 10_000_000) }
        },
        Row(
            "32g",
            "observer after another process's flush, 99th percentile of 200",
            against: "the goal, 50 ms",
            target: 1
        ) { scale in
            .ifPossible { try notifications(scale(slow: 200), percent: 99, goal: 50_000_000) }
        },
    ]

    /// Measures the time from a commit in another process, which flushes it at once, to the call of
    /// an observer in this one.
    ///
    /// It's the time of a wall clock, and includes the flush.
    private static func notifications(_ count: Int, percent: Int, goal: Double) throws -> Contest {
        let folder = try ScratchFolder()
        let file = folder.file("graph.sqlite")
        let reader = Cache()
        let graph = try attachedGraph(file, load: .atStart, to: reader)
        reader.set(contentsOf: StoredBook.books(0..<10_000))
        try wait { try await graph.flush() }
        var seed: UInt64 = 0
        return Contest {
            goal
        } subject: {
            defer { withExtendedLifetime((folder, reader)) {} }
            let hearings = Hearings()
            let token = reader.cached(StoredBook.self, id: 0).observe { book in
                let heard = Int(Stopwatch.now)
                hearings.note(Hearings.Hearing(moment: book.year, heard: heard))
            }
            defer { token.dispose() }
            seed += 1
            do {
                let order = OutsideWriter.Order(place: .graph(file), count: count, seed: seed)
                let delays = hearings.delays(of: try OutsideWriter.moments(order))
                return delays.bound(ofShare: Double(percent) / 100)
            } catch {
                Failures.note(error)
                return .nan
            }
        }
    }

    /// Returns a closure that writes a moment as the year of a book, with nine other books.
    static func momentWriter(_ file: URL) throws -> (Int) throws -> Void {
        let cache = Cache()
        let graph = try attachedGraph(file, to: cache)
        var edition = 0
        return { moment in
            edition += 1
            var books = StoredBook.books(0..<10, edition: edition)
            books[0].year = moment
            cache.set(contentsOf: books)
            try wait { try await graph.flush() }
        }
    }
}
#endif
