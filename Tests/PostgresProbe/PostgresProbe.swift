import FlatCache
import FlatCachePostgres
import Foundation

/// A node of a service as a process.
///
///     PostgresProbe shelf CONNECTION
///     PostgresProbe work CONNECTION SCHEMA NODE WRITERS WRITES SEED LOG
///
/// `shelf` shows the books of all nodes, and stores a book for each line such as `1 Earthsea`.
/// `work` makes random writes for a test, and logs what it writes and sees.
@main
enum PostgresProbe {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        switch (arguments.first, arguments.count) {
        case ("shelf", 2): try await shelf(arguments[2])
        case ("work", 8): try await work(Array(arguments.dropFirst()))
        default:
            say("usage: PostgresProbe shelf CONNECTION")
            exit(2)
        }
    }

    // MARK: The shelf

    private static func shelf(_ connection: String) async throws {
        let cache = Cache()
        let graph = PostgresGraph(
            connection,
            onEvent: { event in
                if case .disconnected(let error) = event {
                    say("The connection is lost: \(error)")
                }
            }
        ) {
            Replicated(ShelfBook.self, "book", load: .atStart)
        }
        let observation = cache.query(ShelfBook.self).sorted(by: \.id).observe { books in
            say(books.map { "\($0.id) \($0.title)" }.joined(separator: ", "))
        }
        defer { observation.dispose() }
        try await graph.attach(to: cache)
        let running = Task { try await graph.run() }
        defer { running.cancel() }
        for await line in lines() {
            let words = line.split(separator: " ", maxSplits: 1)
            guard words.count == 2, let id = Int(words[0]) else {
                say("Write a number and a title, such as: 1 Earthsea")
                continue
            }
            let book = ShelfBook(id: id, title: String(words[1]))
            do {
                try await graph.write { batch in
                    if try await batch.get(ShelfBook.self, id: id) == nil {
                        batch.insert(book)
                    } else {
                        batch.set(book)
                    }
                }
            } catch {
                say("The book isn't stored: \(error)")
            }
        }
    }

    private static func lines() -> AsyncStream<String> {
        AsyncStream { lines in
            Thread.detachNewThread {
                while let line = readLine() { lines.yield(line) }
                lines.finish()
            }
        }
    }

    // MARK: The work

    private static func work(_ arguments: [String]) async throws {
        let (connection, schema) = (arguments[0], arguments[1])
        guard let node = UInt64(arguments[2]), let writers = Int(arguments[3]),
            let writes = Int(arguments[4]), let seed = UInt64(arguments[5])
        else { exit(2) }
        let log = WorkLog(arguments[6])
        let cache = Cache()
        let graph = PostgresGraph(connection, schema: schema) {
            Replicated(WorkEntry.self, "entry", load: .atStart)
        }
        // Each commit of the cache is logged before the next one.
        let observation = cache.query(WorkEntry.self).observe { log.record($0) }
        defer { observation.dispose() }
        try await retrying { try await graph.attach(to: cache) }
        let running = Task { try await graph.run() }
        say("ready")
        await withTaskGroup(of: Void.self) { group in
            for writer in 0..<writers {
                group.addTask {
                    var random = WorkRandom(seed: seed &* 1_000 &+ node &* 100 &+ UInt64(writer))
                    for index in 0..<writes {
                        let id = node << 40 | UInt64(writer) << 24 | UInt64(index)
                        await write(id, graph, log, &random)
                    }
                }
            }
            await group.waitForAll()
        }
        say("done")
        // The node goes on to import until its input ends.
        for await line in lines() where line == "finish" {
            try await retrying { _ = try await graph.write { _ in } }
            log.recordEnd()
            say("finished")
        }
        running.cancel()
    }

    private static func retrying(_ body: () async throws -> Void) async throws {
        while true {
            do {
                return try await body()
            } catch let error as PostgresGraphError
                where error.kind == .disconnected || error.kind == .conflict
            {
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    /// Appends a number to the lists of one to three entries, as one write.
    private static func write(
        _ id: UInt64,
        _ graph: PostgresGraph,
        _ log: WorkLog,
        _ random: inout WorkRandom
    ) async {
        let first = random.below(WorkEntry.count)
        let ids = Set([
            first, random.below(WorkEntry.count), (first + random.below(2)) % WorkEntry.count,
        ])
        let isRolledBack = random.below(20) == 0
        if random.below(4) == 0 {
            try? await Task.sleep(for: .milliseconds(random.below(20)))
        }
        log.append("A \(id) \(ids.sorted().map(String.init).joined(separator: " "))")
        do {
            try await graph.write(attempts: 1_000) { batch in
                for entry in ids.sorted() {
                    var stored = try await batch.get(WorkEntry.self, id: entry)
                    if stored == nil {
                        batch.insert(WorkEntry(id: entry, writes: [id]))
                    } else {
                        stored?.writes.append(id)
                        if let stored { batch.set(stored) }
                    }
                }
                if isRolledBack { throw RolledBack() }
            }
            log.append("C \(id)")
        } catch is RolledBack {
            log.append("F \(id)")
        } catch let error as PostgresGraphError where error.kind == .unknownOutcome {
            log.append("U \(id)")
        } catch {
            log.append("F \(id)")
        }
    }
}

/// Prints a line at once.
private func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

private struct RolledBack: Error {}

struct ShelfBook: CacheEntity, Codable, Equatable {
    let id: Int
    var title: String
}

package struct WorkEntry: CacheEntity, Codable, Equatable {
    static let count = 8

    package let id: Int
    package var writes: [UInt64]
}

/// A generator that returns the same numbers for a seed.
struct WorkRandom {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func below(_ limit: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(limit))
    }
}

/// The file in which a node logs its writes and what it sees.
///
/// A line is written at once, so that the log of a killed process is complete.
final class WorkLog: @unchecked Sendable {
    private let file: Int32
    private let lock = NSLock()
    // Guarded by `lock`.
    private var seen: [Int: Int] = [:]

    init(_ path: String) { file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o644) }

    func append(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
    }

    /// Logs the numbers that a commit has added to the lists.
    func record(_ entries: [WorkEntry]) {
        lock.lock()
        defer { lock.unlock() }
        var added: [String] = []
        for entry in entries {
            let count = seen[entry.id] ?? 0
            if entry.writes.count < count { added.append("lost:\(entry.id)") }
            for write in entry.writes.dropFirst(count) { added.append("\(entry.id):\(write)") }
            seen[entry.id] = entry.writes.count
        }
        if !added.isEmpty { append("V " + added.joined(separator: " ")) }
    }

    func recordEnd() { append("E") }
}
