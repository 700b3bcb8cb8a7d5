#if canImport(CPostgres)
import FlatCache
import FlatCachePostgres
import Foundation
import Synchronization

extension Row {
    /// Rows of the writes to a graph that several nodes share.
    static let nodeRows = [
        Row(
            "34a",
            "graph.write of one row by 32 tasks, per commit",
            against: "INSERT by 32 connections",
            target: 4,
            requires: requirePostgres
        ) { scale in
            .ifPossible {
                try commits("34a", scale(slow: 100)) { session, id in
                    try session.execute("\(id)", bareValue)
                }
            }
        },
        Row(
            "34b",
            "graph.write of one row by 32 tasks, per commit",
            against: "INSERT with NOTIFY in its transaction",
            target: 1 / 3,
            requires: requirePostgres
        ) { scale in
            .ifPossible {
                try commits("34b", scale(slow: 100)) { session, id in
                    try session.run(
                        "INSERT INTO \(bareTable) VALUES (\(id), 1, 1, '\(bareValue)'); NOTIFY bare"
                    )
                }
            }
        },
    ]

    private static let writers = 32
    private static let bareTable = "public.bare"
    private static let bareValue = #"""
        {"id":0,"title":"Book 000000000000, edition 000000","author":"book-000000000000000",\#
        "year":1900,"price":0.5,"isInStock":true}
        """#

    /// Lets writers commit rows one by one, through a graph and through connections without one.
    ///
    /// - Parameters:
    ///   - row: The name of the row.
    ///   - count: The number of commits of each writer.
    ///   - insert: A closure that commits a row with an identifier, on a connection on which the
    ///     statement of the bare table is prepared.
    private static func commits(
        _ row: String,
        _ count: Int,
        _ insert: @escaping @Sendable (RawSession, _ id: Int) throws -> Void
    ) throws -> Contest {
        let server = try server(flushing: true)
        let sessions = try (0..<writers).map { _ in try RawSession(server) }
        try sessions[0].run(
            """
            SET client_min_messages = error;
            DROP TABLE IF EXISTS \(bareTable);
            CREATE TABLE \(bareTable) (
                id bigint PRIMARY KEY, version bigint NOT NULL, form int NOT NULL,
                value jsonb NOT NULL);
            """
        )
        for session in sessions {
            try session.prepare("INSERT INTO \(bareTable) VALUES ($1, 1, 1, $2)")
        }
        // A single writer's commits: mostly the time in which the disk stores the log.
        let single = try (1...50).map { number in
            try timeOfOne { try insert(sessions[0], -number) }
        }
        let node = try BookNode(server, newSchema(row), connections: writers)
        let nextID = Atomic(0)
        return Contest(
            note: "a single connection's commit of the baseline takes "
                + Format.measurement(single.bound(ofShare: 0.5), .nanoseconds)
        ) {
            let first = nextID.add(writers * count, ordering: .relaxed).oldValue
            let failed = Atomic(false)
            let nanoseconds = Threads.run(writers) { writer in
                do {
                    for number in 0..<count {
                        try insert(sessions[writer], first + writer * count + number)
                    }
                } catch {
                    Failures.note(error)
                    failed.store(true, ordering: .relaxed)
                }
            }
            if failed.load(ordering: .relaxed) { return .nan }
            return Double(nanoseconds) / Double(writers * count)
        } subject: {
            let first = nextID.add(writers * count, ordering: .relaxed).oldValue
            do {
                return try timeOfOne {
                    try wait {
                        try await withThrowingTaskGroup(of: Void.self) { group in
                            for writer in 0..<writers {
                                let start = first + writer * count
                                let books = StoredBook.books(start..<start + count)
                                group.addTask {
                                    for book in books {
                                        try await node.graph.write { $0.insert(book) }
                                    }
                                }
                            }
                            try await group.waitForAll()
                        }
                    }
                } / Double(writers * count)
            } catch {
                Failures.note(error)
                return .nan
            }
        }
    }

    /// Returns the wall-clock time of a closure in nanoseconds.
    static func timeOfOne(_ body: () throws -> Void) rethrows -> Double {
        let start = Stopwatch.now
        try body()
        return Double(Stopwatch.now - start)
    }
}
#else
extension Row {
    /// Without PostgreSQL's client library, there are no nodes to measure.
    static let nodeRows: [Row] = []
    static let nodeDelayRows: [Row] = []
    static let replicaRows: [Row] = []
}
#endif
