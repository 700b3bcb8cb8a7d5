#if canImport(SQLite3) || canImport(CSQLite)
import Dispatch
import FlatCache
import FlatCacheSQLite
import Foundation

extension Row {
    /// Rows of two durable graphs that share a file.
    static let sharedGraphRows = [
        Row(
            "32f",
            "another graph's observer after a flush, median of 200",
            against: "the goal, 10 ms",
            target: 1
        ) { scale in
            .ifPossible { try notifications(scale(slow: 200), percent: 50, goal: 10_000_000) }
        },
        Row(
            "32g",
            "another graph's observer after a flush, 99th percentile of 200",
            against: "the goal, 50 ms",
            target: 1
        ) { scale in
            .ifPossible { try notifications(scale(slow: 200), percent: 99, goal: 50_000_000) }
        },
    ]

    /// Measures the time from a flush of one graph to the call of an observer of the other's cache.
    ///
    /// It's the time of a wall clock, and includes the flush.
    private static func notifications(_ count: Int, percent: Int, goal: Double) throws -> Contest {
        let folder = try ScratchFolder()
        let file = folder.file("graph.sqlite")
        let (writer, reader) = (Cache(), Cache())
        let graph = try attachedGraph(file, to: writer)
        let other = try attachedGraph(file, load: .atStart, to: reader)
        writer.set(contentsOf: StoredBook.books(0..<10_000))
        let notified = DispatchSemaphore(value: 0)
        try wait { try await graph.flush() }
        try wait { try await other.flush() }
        let token = reader.observe(StoredBook.self, id: 0) { _ in notified.signal() }
        var edition = 0
        return Contest {
            goal
        } subject: {
            defer { withExtendedLifetime((folder, reader, token)) {} }
            var times: [Double] = []
            for _ in 0..<count {
                edition += 1
                writer.set(contentsOf: StoredBook.books(0..<10, edition: edition))
                do {
                    let start = Stopwatch.now
                    try wait { try await graph.flush() }
                    notified.wait()
                    times.append(Double(Stopwatch.now - start))
                } catch {
                    Failures.note(error)
                    return .nan
                }
            }
            return times.sorted()[min(count - 1, count * percent / 100)]
        }
    }
}
#endif
