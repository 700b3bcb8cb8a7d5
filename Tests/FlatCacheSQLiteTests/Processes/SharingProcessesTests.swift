import FlatCache
import FlatCacheTesting
import Foundation
import SQLiteProbe
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

/// Tests of processes that write to one file at the same time.
@Suite(.serialized, .tags(.slow))
struct SharingProcessesTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Starts a process that changes all cells together, again and again.
    private func start(_ number: Int) throws -> SecondProcess {
        let path = folder.file("graph.sqlite").path
        let process = try SecondProcess(["shares", path, "\(number)"], of: "SQLiteProbe")
        #expect(process.line() == "ready")
        return process
    }

    /// Reads lines until the process has seen a number of steps of others.
    private func expectSteps(_ count: Int, _ process: SecondProcess) {
        for _ in 0..<count {
            guard let line = process.line() else {
                Issue.record("The process has ended.")
                return
            }
            #expect(line.hasPrefix("saw "))
        }
    }

    @Test func processesSeeEachOthersWholeTransactions() async throws {
        try await onOwnThread {
            let (first, second) = (try start(1), try start(2))
            expectSteps(20, first)
            expectSteps(20, second)
            // The others go on when one of them is killed.
            let third = try start(3)
            third.killAtOnce()
            _ = third.lines()
            expectSteps(20, first)
            second.killAtOnce()
            #expect(second.lines().allSatisfy { $0.hasPrefix("saw ") })
            let fourth = try start(4)
            expectSteps(20, fourth)
            for process in [first, fourth] {
                process.killAtOnce()
                #expect(process.lines().allSatisfy { $0.hasPrefix("saw ") })
            }
            let database = try Database(
                path: folder.file("graph.sqlite").path,
                lockTimeout: .seconds(1)
            )
            let log = TransactionLog(database: database)
            let records = try #require(try log.records(after: 0))
            #expect(records.map(\.number) == Array(1...Int64(records.count)))
        }
    }

    /// Tests of processes that are killed in the middle of an import, at random moments.
    ///
    /// `FLATCACHE_SEEDS=1000` kills a thousand processes.
    @Test func processesThatAreKilledWhileTheyImportDoNotDisturbOthers() async throws {
        let cache = Cache()
        let errors = Recorder<SQLiteGraphError>()
        let graph = try SQLiteGraph(
            folder.file("graph.sqlite"),
            clock: ManualClock(),
            onError: { errors.append($0) },
            types: {
                Durable(ProbeCell.self, "cell", load: .atStart)
                Durable(ProbeEntry.self, "entry")
                DurableList(ProbeEntry.listName, of: ProbeEntry.self)
            }
        )
        try await graph.attach(to: cache)
        let path = folder.file("graph.sqlite").path
        var step = 0
        func commit() async throws {
            step += 1
            cache.performBatchUpdates { batch in
                for id in 0..<ProbeCell.count { batch.set(ProbeCell(id: id, step: step)) }
            }
            try await graph.flush()
        }
        for seed in RandomTestSettings(seeds: 4).seeds {
            var generator = SplitMix64(seed: seed)
            try await commit()
            let process = try await onOwnThread {
                let process = try SecondProcess(["imports", path, "0"], of: "SQLiteProbe")
                #expect(process.line() == "ready")
                return process
            }
            for _ in 0..<generator.below(40) { try await commit() }
            let lines = try await onOwnThread {
                process.killAtOnce()
                return process.lines()
            }
            let problem = lines.first { !$0.hasPrefix("saw ") }
            if let problem { FailureReport(seed: seed, step: step, problem: problem).record() }
        }
        let last = try await onOwnThread {
            let process = try SecondProcess(["imports", path, "0"], of: "SQLiteProbe")
            #expect(process.line() == "ready")
            return process
        }
        try await commit()
        let goal = "saw \(step)"
        let hasSeen = try await onOwnThread {
            while let line = last.line() { if line == goal { return true } }
            return false
        }
        #expect(hasSeen)
        #expect(errors.all.isEmpty)
        let database = try Database(path: path, lockTimeout: .seconds(1))
        let check = try database.statement("PRAGMA integrity_check")
        #expect(try check.step() && check.text(0) == "ok")
    }

    @Test func graphImportsTransactionsOfAnotherProcess() async throws {
        let path = folder.file("graph.sqlite").path
        let process = try await onOwnThread {
            let process = try SecondProcess(["commits", path, "1"], of: "SQLiteProbe")
            #expect(process.line() == "ready")
            return process
        }
        let cache = Cache()
        let graph = try SQLiteGraph(folder.file("graph.sqlite")) {
            Durable(ProbeCell.self, "cell", load: .atStart)
            Durable(ProbeEntry.self, "entry")
        }
        try await graph.attach(to: cache)
        let seen = Recorder<Int>()
        let token = cache.cached(ProbeCell.self, id: 0).observe { seen.append($0.step) }
        #expect(await until { seen.count >= 20 })
        token.dispose()
        try await onOwnThread { process.killAtOnce() }
        #expect(seen.all == seen.all.sorted())
        #expect(Set(cache.values(of: ProbeCell.self).map(\.step)).count == 1)
        #expect(try await graph.statistics.transactionCount == 0)
    }
}
