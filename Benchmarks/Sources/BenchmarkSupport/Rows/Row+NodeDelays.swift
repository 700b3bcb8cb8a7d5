#if canImport(CPostgres)
import Dispatch
import FlatCache
import FlatCachePostgres
import Foundation
import Synchronization

extension Row {
    /// Rows that measure when a write of one node reaches the others.
    static let nodeDelayRows = [
        Row(
            "34c",
            "graph.write until another node shows it, median of 200",
            against: "NOTIFY to another connection",
            target: 10,
            requires: requirePostgres
        ) { scale in
            .ifPossible { try idleDelays("34c", scale(slow: 200), percent: 50) }
        },
        Row(
            "34d",
            "the same, 99th percentile",
            against: "the goal, 5 ms",
            target: 1,
            requires: requirePostgres
        ) { scale in
            .ifPossible { try idleDelays("34d", scale(slow: 200), percent: 99, goal: 5_000_000) }
        },
        Row(
            "34e",
            "from its return, 99th percentile, three nodes with 8 writers each",
            against: "the goal, 50 ms",
            target: 1,
            requires: requirePostgres
        ) { scale in
            .ifPossible { try busyDelays("34e", scale(slow: 100), percent: 99, goal: 50_000_000) }
        },
    ]

    // MARK: Contests

    private static func idleDelays(
        _ row: String,
        _ count: Int,
        percent: Int,
        goal: Double? = nil
    ) throws -> Contest {
        let server = try server(flushing: false)
        let nodes = try NodeGroup(server, newSchema(row), nodes: 2, writers: 1)
        let baseline = try NotificationPair(server)
        var seed: UInt64 = 0
        var imports: [Double] = []
        return Contest(note: note(imports, "from the return of write")) {
            do {
                seed += 1
                return try goal ?? baseline.delays(count, seed: seed).bound(ofShare: 0.5)
            } catch {
                Failures.note(error)
                return .nan
            }
        } subject: {
            do {
                seed += 1
                let found = try nodes.delays(count, pausesFrom: seed)
                imports += found.ofImports
                return found.ofWrites.bound(ofShare: Double(percent) / 100)
            } catch {
                Failures.note(error)
                return .nan
            }
        }
    }

    private static func busyDelays(
        _ row: String,
        _ count: Int,
        percent: Int,
        goal: Double
    ) throws -> Contest {
        let server = try server(flushing: true)
        let nodes = try NodeGroup(server, newSchema(row), nodes: 3, writers: 8)
        var writes: [Double] = []
        return Contest(note: note(writes, "from the call of write")) {
            goal
        } subject: {
            do {
                let found = try nodes.delays(count, pausesFrom: nil)
                writes += found.ofWrites
                return found.ofImports.bound(ofShare: Double(percent) / 100)
            } catch {
                Failures.note(error)
                return .nan
            }
        }
    }

    private static func note(_ delays: [Double], _ start: String) -> String {
        let (median, most) = (delays.bound(ofShare: 0.5), delays.bound(ofShare: 0.99))
        return "\(start): median \(Format.measurement(median, .nanoseconds)), "
            + "99th percentile \(Format.measurement(most, .nanoseconds))"
    }
}

/// Nodes that show the same books, of which each writer of each node changes one.
private final class NodeGroup: Sendable {
    /// The delays until a node shows a write of another one, in nanoseconds.
    struct Delays: Sendable {
        /// The delays from the call of `write`.
        var ofWrites: [Double] = []
        /// The delays from its return, or zero if the other node was faster.
        var ofImports: [Double] = []
    }

    private let nodes: [BookNode]
    private let writers: Int

    init(_ server: PostgresServer, _ schema: String, nodes: Int, writers: Int) throws {
        self.nodes = try (0..<nodes).map { _ in
            try BookNode(server, schema, load: .atStart)
        }
        self.writers = writers
        let (first, books) = (self.nodes[0], StoredBook.books(0..<nodes * writers))
        let token = try Row.wait {
            try await first.graph.write { batch in
                for book in books { batch.insert(book) }
            }.token
        }
        try Row.wait { [nodes = self.nodes] in
            for node in nodes { try await node.graph.wait(for: token, timeout: .seconds(10)) }
        }
    }

    /// The writes of a writer, and their arrivals at the other nodes.
    private struct Writes: Sendable {
        /// The moments before the calls of `write`.
        var moments: [Int] = []
        /// The nanoseconds until its returns.
        var durations: [Double] = []
        var observers: [(hearings: Hearings, token: Disposable)] = []

        /// Waits for the last arrival, and ends the observations.
        func delays() -> Delays {
            var delays = Delays()
            for observer in observers {
                let found = observer.hearings.delays(of: moments)
                observer.token.dispose()
                delays.ofWrites += found
                delays.ofImports += zip(found, durations).map { max(0, $0 - $1) }
            }
            return delays
        }
    }

    /// Lets all writers write a number of times.
    ///
    /// - Parameters:
    ///   - count: The number of writes of each writer.
    ///   - seed: The seed of the pauses of the only writer, or `nil` for writes without pauses by
    ///     the writers of all nodes.
    func delays(_ count: Int, pausesFrom seed: UInt64?) throws -> Delays {
        let writes = try Row.wait { [self] in
            try await withThrowingTaskGroup(of: Writes.self) { group in
                for node in nodes.indices where node == 0 || seed == nil {
                    for writer in 0..<writers {
                        group.addTask { [self] in
                            let id = node * writers + writer
                            return try await write(count, to: id, on: node, pausesFrom: seed)
                        }
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
        }
        return writes.map { $0.delays() }.reduce(into: Delays()) { all, some in
            all.ofWrites += some.ofWrites
            all.ofImports += some.ofImports
        }
    }

    private func write(
        _ count: Int,
        to id: Int,
        on node: Int,
        pausesFrom seed: UInt64?
    ) async throws -> Writes {
        var writes = Writes()
        for number in nodes.indices where number != node {
            let hearings = Hearings()
            let book = nodes[number].cache.cached(StoredBook.self, id: id)
            let token = book.observe { book in
                hearings.note(Hearings.Hearing(moment: book.year, heard: Int(Stopwatch.now)))
            }
            writes.observers.append((hearings, token))
        }
        var random = SeededGenerator(seed: seed ?? 0)
        for _ in 0..<count {
            if seed != nil {
                let pause = Int.random(in: 5_000...15_000, using: &random)
                try await Task.sleep(for: .microseconds(pause))
            }
            let moment = Int(Stopwatch.now)
            try await nodes[node].setYear(moment, of: id)
            writes.moments.append(moment)
            writes.durations.append(Double(Int(Stopwatch.now) - moment))
        }
        return writes
    }
}

/// Two connections of which one listens and the other one notifies.
private final class NotificationPair: Sendable {
    private let sender: RawSession
    private let receiver: RawSession

    init(_ server: PostgresServer) throws {
        sender = try RawSession(server)
        receiver = try RawSession(server)
        try receiver.run("LISTEN bare_delay")
    }

    /// Returns the times from before a notification is sent until it's received by a thread that
    /// waits for it.
    func delays(_ count: Int, seed: UInt64) throws -> [Double] {
        let received = Mutex<[Int]>([])
        let hasReceived = DispatchSemaphore(value: 0)
        Threads.start { [receiver] in
            for _ in 0..<count {
                do {
                    try receiver.waitForNotification()
                    received.withLock { $0.append(Int(Stopwatch.now)) }
                } catch {
                    Failures.note(error)
                }
                hasReceived.signal()
            }
        }
        var random = SeededGenerator(seed: seed)
        var sent: [Int] = []
        for _ in 0..<count {
            usleep(UInt32.random(in: 5_000...15_000, using: &random))
            sent.append(Int(Stopwatch.now))
            try sender.run("NOTIFY bare_delay")
            hasReceived.wait()
        }
        return zip(received.withLock { $0 }, sent).map { Double($0 - $1) }
    }
}
#endif
