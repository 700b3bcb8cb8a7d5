#if canImport(CPostgres)
import FlatCache
import Foundation
import PostgresProbe
import TestSupport
import Testing

@testable import FlatCachePostgres

/// Nodes as processes, while nodes, connections and the server are killed.
///
/// `FLATCACHE_NODE_FAULTS=200` causes two hundred faults.
@Suite(.needsPostgres, .serialized, .tags(.slow)) struct NodesProcessesTests {
    @Test("Each commit of each node equals a snapshot of the database, whatever is killed")
    func faults() async throws {
        let count = ProcessInfo.processInfo.environment["FLATCACHE_NODE_FAULTS"].flatMap(Int.init)
        for seed in RandomTestSettings(seeds: 1).seeds {
            let server = try PostgresServer()
            let folder = try TemporaryFolder()
            let run = NodesRun(server, folder, seed, faults: count ?? 6)
            let problems = try await onOwnThread { try run.run() }
            for problem in problems.prefix(5) {
                FailureReport(seed: seed, step: nil, problem: problem).record()
            }
        }
    }
}

private final class NodesRun: @unchecked Sendable {
    // Used by the thread of the test alone.

    private let server: PostgresServer
    private let folder: TemporaryFolder
    private var random: SplitMix64
    private let seed: Seed
    private let faults: Int
    private var nodes: [SecondProcess] = []
    private var logs: [[URL]] = []
    private static let nodeCount = 3
    private static let writers = 3

    init(_ server: PostgresServer, _ folder: TemporaryFolder, _ seed: Seed, faults: Int) {
        self.server = server
        self.folder = folder
        self.seed = seed
        self.faults = faults
        random = SplitMix64(seed: seed)
    }

    /// Runs the nodes; returns the problems in their logs.
    func run() throws -> [String] {
        for node in 0..<Self.nodeCount {
            logs.append([])
            nodes.append(try start(node))
        }
        for _ in 0..<faults {
            // The faults must meet writes, which only time tells.
            Thread.sleep(forTimeInterval: 0.1 + 0.01 * Double(random.below(30)))
            try causeFault()
        }
        // Each node ends its writes, and then imports what the others have written.
        for node in nodes { while let line = node.line(), line != "done" {} }
        for node in nodes {
            node.finish()
            while let line = node.line(), line != "finished" {}
            node.killAtOnce()
        }
        return try check()
    }

    private func start(_ node: Int) throws -> SecondProcess {
        let log = folder.file("\(node)-\(logs[node].count).log")
        logs[node].append(log)
        let number = node + Self.nodeCount * (logs[node].count - 1)
        let process = try SecondProcess(
            [
                "work", server.address, "shop", "\(number)", "\(Self.writers)", "40",
                "\(seed.number)", log.path,
            ],
            of: "PostgresProbe"
        )
        while let line = process.line(), line != "ready" {}
        return process
    }

    private func causeFault() throws {
        switch random.below(4) {
        case 0:
            let node = random.below(Self.nodeCount)
            nodes[node].killAtOnce()
            nodes[node] = try start(node)
        case 1:
            try server.session().runScript(
                """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE application_name = 'FlatCache' AND pid <> pg_backend_pid() ORDER BY random() LIMIT 3
                """
            )
        case 2:
            try server.stop()
            try server.start()
        default:
            let node = nodes[random.below(Self.nodeCount)]
            node.suspend()
            Thread.sleep(forTimeInterval: 0.3)
            node.resume()
        }
    }

    // MARK: Checking

    /// A node's log.
    private struct Log {
        var entries: [UInt64: Set<Int>] = [:]
        var committed: Set<UInt64> = []
        var failed: Set<UInt64> = []
        /// The writes that each commit has made visible, with their entries.
        var commits: [[UInt64: Set<Int>]] = []
        var problems: [String] = []
        var hasEnded = false

        init(_ url: URL) throws {
            let text = try String(contentsOf: url, encoding: .utf8)
            // The last line of a killed process may be incomplete.
            for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
                let words = line.split(separator: " ")
                switch words.first {
                case "A":
                    entries[UInt64(words[1]) ?? 0] = Set(words.dropFirst(2).compactMap { Int($0) })
                case "C": committed.insert(UInt64(words[1]) ?? 0)
                case "F": failed.insert(UInt64(words[1]) ?? 0)
                case "E": hasEnded = true
                case "V":
                    var seen: [UInt64: Set<Int>] = [:]
                    for word in words.dropFirst() {
                        let parts = word.split(separator: ":")
                        guard let entry = Int(parts[0]), let write = UInt64(parts[1]) else {
                            problems.append("\(url.lastPathComponent): \(word)")
                            continue
                        }
                        seen[write, default: []].insert(entry)
                    }
                    commits.append(seen)
                default: break
                }
            }
        }
    }

    private func check() throws -> [String] {
        let names = logs.flatMap(\.self)
        let logs = try names.map { try Log($0) }
        var problems = logs.flatMap(\.problems)
        let rows = try server.session().run("SELECT value FROM shop.entry")
        var final: [UInt64: Set<Int>] = [:]
        for row in 0..<rows.count {
            let entry = try JSONDecoder().decode(WorkEntry.self, from: Data(rows.text(row, 0).utf8))
            if Set(entry.writes).count != entry.writes.count {
                problems.append("Entry \(entry.id) has a write twice.")
            }
            for write in entry.writes { final[write, default: []].insert(entry.id) }
        }
        var written: [UInt64: Set<Int>] = [:]
        for log in logs { written.merge(log.entries) { first, _ in first } }
        for (write, entries) in final where written[write] != entries {
            problems.append("The database has a part of write \(write): \(entries)")
        }
        for (name, log) in zip(names, logs) {
            for write in log.committed where final[write] == nil {
                problems.append("\(name.lastPathComponent): write \(write) is lost.")
            }
            for write in log.failed where final[write] != nil {
                problems.append("\(name.lastPathComponent): write \(write) wasn't rolled back.")
            }
            for (number, commit) in log.commits.enumerated() {
                for (write, entries) in commit where written[write] != entries {
                    problems.append(
                        "\(name.lastPathComponent): commit \(number) shows a part of \(write)."
                    )
                }
            }
            if log.hasEnded {
                let seen = log.commits.reduce(into: Set()) { $0.formUnion($1.keys) }
                if seen != Set(final.keys) {
                    problems.append("\(name.lastPathComponent) isn't up to date at the end.")
                }
            }
        }
        problems += incomparable(logs.map { $0.commits.map { Set($0.keys) } })
        if !logs.contains(where: { $0.committed.count > 0 }) {
            problems.append("Nothing was written.")
        }
        return problems
    }

    /// Returns the commits of two nodes that show different sets of writes, none of which contains
    /// the other.
    ///
    /// Snapshots of one database are ordered, so of any two, one shows all that the other one does.
    private func incomparable(_ nodes: [[Set<UInt64>]]) -> [String] {
        var problems: [String] = []
        for (first, commits) in nodes.enumerated() {
            for (second, others) in nodes.enumerated() where first != second {
                var place: [UInt64: Int] = [:]
                for (number, writes) in others.enumerated() {
                    for write in writes { place[write] = number }
                }
                let sizes = others.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.count) }
                var size = 0
                var last = -1
                for (number, writes) in commits.enumerated() {
                    size += writes.count
                    for write in writes { last = max(last, place[write] ?? .max) }
                    // The first commit of the other node with at least as many writes must show
                    // these.
                    guard let other = sizes.firstIndex(where: { $0 >= size }) else { break }
                    if last >= other {
                        problems.append("Commits \(first).\(number) and \(second).\(other) differ.")
                        break
                    }
                }
            }
        }
        return problems
    }
}

extension SecondProcess {
    fileprivate func finish() { write("finish\n") }
}
#endif
