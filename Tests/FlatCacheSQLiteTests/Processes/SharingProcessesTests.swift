import FlatCache
import Foundation
import SQLiteProbe
import Testing

@testable import FlatCacheSQLite

/// Tests of processes that write to one file at the same time.
@Suite(.serialized)
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
            #expect(records.map(\.mark.number) == Array(1...Int64(records.count)))
            #expect(Set(records.map(\.mark.writer)).count >= 3)
        }
    }

    @Test func graphOfThisProcessImportsWhatAnotherProcessWrites() async throws {
        let process = try start(1)
        defer { process.killAtOnce() }
        let cache = Cache()
        let graph = try SQLiteGraph(folder.file("graph.sqlite")) {
            Durable(ProbeCell.self, "cell", load: .atStart)
            Durable(ProbeEntry.self, "entry")
        }
        try await graph.attach(to: cache)
        let seen = Recorder<Int>()
        let token = cache.observe(ProbeCell.self, id: 0) { seen.append($0.step) }
        #expect(await soon { seen.all.count >= 20 })
        token.dispose()
        #expect(seen.all == seen.all.sorted())
        #expect(Set(cache.values(of: ProbeCell.self).map(\.step)).count == 1)
        #expect(try await graph.statistics.transactionCount == 0)
    }
}
