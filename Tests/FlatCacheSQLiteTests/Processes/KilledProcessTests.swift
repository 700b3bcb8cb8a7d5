import FlatCache
import Foundation
import SQLiteProbe
import Testing

@testable import FlatCacheSQLite

/// Tests of files whose process is killed while it writes.
///
/// `FLATCACHE_SEEDS=1000` kills a thousand processes.
@Suite(.serialized, .tags(.slow))
struct KilledProcessTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test func killedProcessLeavesAPrefixOfItsCommits() async throws {
        try await onOwnThread {
            var confirmations = 0
            var reads = 0
            for (number, seed) in RandomTestSettings(seeds: 12).seeds.enumerated() {
                // The number of entries stays small.
                let file = folder.file("graph-\(number / 6).sqlite")
                let run = try KilledProcess(file, seed)
                confirmations += run.confirmed
                reads += run.reads
                if let problem = run.problem {
                    FailureReport(seed: seed, step: nil, problem: problem).record()
                    return
                }
            }
            // The processes were killed after flushes, and the file was read in the meantime.
            #expect(confirmations > 0)
            #expect(reads > 0)
        }
    }
}

/// One process that is killed, with the checks of its file.
private struct KilledProcess {
    /// The number of steps that the process has confirmed.
    private(set) var confirmed = 0
    /// The number of states that were read while the process was writing.
    private(set) var reads = 0
    private(set) var problem: String?
    /// The last step that the process has confirmed.
    private var lastStep = 0

    init(_ file: URL, _ seed: Seed) throws {
        var generator = SplitMix64(seed: seed)
        let process = try SecondProcess(
            ["commits", file.path, "\(seed.number)"],
            of: "SQLiteProbe"
        )
        guard process.line() == "ready" else {
            problem = "The process doesn't start."
            return
        }
        let database = try Database(path: file.path, lockTimeout: .seconds(1))
        for _ in 0...generator.below(12) {
            guard let line = process.line() else { break }
            note(line)
            _ = try check(database)
            reads += 1
        }
        // The number of reads chooses the moment after the last confirmation.
        for _ in 0..<generator.below(100) { _ = try check(database) }
        process.killAtOnce()
        for line in process.lines() { note(line) }
        let step = try check(database)
        if step < lastStep {
            problem = "Step \(lastStep) was confirmed, but the file has step \(step)."
        }
        let intact = try database.statement("PRAGMA integrity_check")
        _ = try intact.step()
        if intact.text(0) != "ok" { problem = intact.text(0) }
        intact.reset()
    }

    /// Notes a line of the process: the confirmation of a step, or else an error.
    private mutating func note(_ line: String) {
        if line.hasPrefix("confirmed"),
            let step = line.split(separator: " ").last.flatMap({ Int($0) })
        {
            lastStep = step
            confirmed += 1
        } else {
            problem = line
        }
    }

    /// Reads one state of the file and checks that it's the state after a step; returns the step.
    private mutating func check(_ database: Database) throws -> Int {
        try database.execute("BEGIN")
        defer { try? database.execute("COMMIT") }
        var steps: [Int] = []
        let cells = try database.statement("SELECT value FROM cell")
        while try cells.step() {
            steps.append(
                try CompactRowCoder().decode(ProbeCell.self, from: cells.bytes(0)).step
            )
        }
        let step = steps.first ?? 0
        if !steps.isEmpty, steps != Array(repeating: step, count: ProbeCell.count) {
            problem = "A commit is torn: \(steps)"
        }
        var ids: [Int] = []
        let entries = try database.statement("SELECT id FROM entry ORDER BY id")
        while try entries.step() { ids.append(Int(entries.number(0))) }
        if ids != ProbeEntry.ids(after: step) {
            problem = "The entries aren't those of step \(step): \(ids.suffix(10))"
        }
        let latest = try latestEntries(database)
        if latest ?? [] != ProbeEntry.latest(after: step) {
            problem = "The list isn't the one of step \(step): \(latest ?? [])"
        }
        return step
    }

    /// Reads the identifiers in the list of the latest entries.
    private func latestEntries(_ database: Database) throws -> [Int]? {
        let select = try database.statement("SELECT value FROM flatcache_lists_entry")
        defer { select.reset() }
        guard try select.step() else { return nil }
        return try CompactRowCoder().decode(ListState<ProbeEntry>.self, from: select.bytes(0)).ids
    }
}
