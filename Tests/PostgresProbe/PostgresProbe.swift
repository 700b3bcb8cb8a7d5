import FlatCache
import FlatCachePostgres
import Foundation

/// A node of a service as a process.
///
///     PostgresProbe shelf CONNECTION
///     PostgresProbe work CONNECTION SCHEMA NODE CLIENTS PAUSE SEED LOG
///
/// `shelf` shows the books of all nodes, and stores a book for each line such as `1 Earthsea`.
/// `work` performs random transactions for a test, and logs them with all that its cache shows.
/// Each client sleeps for up to `PAUSE` milliseconds between two transactions. The test writes one
/// of these lines:
///
/// - `statistics` is answered by a line with the graph's figures.
/// - `stop` ends the transactions, and is answered by `done`.
/// - `finish` imports what all nodes have written, and is answered by `finished`.
@main
enum PostgresProbe {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        switch (arguments.first, arguments.count) {
        case ("shelf", 2):
            do {
                try await shelf(arguments[2])
            } catch {
                say("\(error)")
                exit(1)
            }
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
            schema: "shelf",
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
        say("Connected. Write a number and a title, such as: 1 Earthsea")
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
        guard let node = UInt64(arguments[2]), let clients = Int(arguments[3]),
            let pause = Int(arguments[4]), let seed = UInt64(arguments[5])
        else { exit(2) }
        let log = WorkLog(arguments[6])
        let cache = Cache()
        let graph = PostgresGraph(connection, schema: schema) {
            Replicated(WorkEntry.self, "entry", load: .atStart)
        }
        try await retrying { try await graph.attach(to: cache) }
        let observation = log.observe(cache)
        defer { observation.dispose() }
        let running = Task { try await graph.run() }
        defer { running.cancel() }
        say("ready")
        let working = Task {
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<clients {
                    group.addTask {
                        var client = WorkClient(graph, log, node: node, client: number, seed: seed)
                        while !Task.isCancelled {
                            // A transaction that has begun isn't cancelled.
                            client = await Task { [client] in
                                var client = client
                                await client.perform()
                                return client
                            }.value
                            let time = client.pause(upTo: pause)
                            try? await Task.sleep(for: time)
                        }
                    }
                }
            }
        }
        for await line in lines() {
            switch line {
            case "statistics":
                let figures = graph.statistics
                let age = figures.age.map { "\(Int($0 / .seconds(1)))" } ?? "-"
                say(
                    "statistics \(age) \(figures.disconnectedSince == nil ? "connected" : "lost") "
                        + "\(figures.resynchronizationCount) \(figures.lastError.map { "\($0)" } ?? "")"
                )
            case "stop":
                working.cancel()
                await working.value
                say("done")
            case "finish":
                try await retrying { _ = try await graph.write { _ in } }
                log.append("E")
                say("finished")
            default: break
            }
        }
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
}

/// Prints a line at once.
private func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

struct ShelfBook: CacheEntity, Codable, Equatable {
    let id: Int
    var title: String
}
