import FlatCache
import Foundation
import SQLiteProbe
import Testing

@testable import FlatCacheSQLite

/// Tests of processes that are killed while they submit and send mutations.
///
/// `FLATCACHE_SEEDS=1000` kills ten thousand processes.
@Suite(.serialized, .tags(.slow))
struct KilledSenderTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test func killedProcessLosesNoMutation() async throws {
        try await onOwnThread {
            var repetitions = 0
            RandomTestSettings(seeds: 4).forEachSeed { seed in
                var run = KilledSenders(folder.file("graph-\(seed.number).sqlite"), seed)
                let problem = run.problem()
                repetitions += run.repetitions
                return problem.map { FailureReport(seed: seed, step: nil, problem: $0) }
            }
            // Some answers were lost.
            #expect(repetitions > 0)
        }
    }
}

/// The server of processes that are killed one after another, with its log.
private struct KilledSenders {
    private let file: URL
    private let seed: Seed
    private var generator: SplitMix64
    /// The keys of the mutations that the server has performed.
    private var keys: Set<String> = []
    /// The steps of each ledger, in the order in which the server has performed them.
    private var ledgers = [[Int]](repeating: [], count: ProbeLedger.count)
    /// The last step of each ledger whose submission has returned.
    private var submitted = [Int](repeating: 0, count: ProbeLedger.count)
    /// The requests without an answer.
    private var waiting: [(key: String, ledger: Int)] = []
    /// `true` if the process waits for answers.
    private var mustAnswer = false
    /// The number of requests that were sent again.
    private(set) var repetitions = 0

    init(_ file: URL, _ seed: Seed) {
        self.file = file
        self.seed = seed
        generator = SplitMix64(seed: seed)
    }

    mutating func problem() -> String? {
        for _ in 0..<10 {
            if let problem = run("submits", lineCount: 20 + generator.below(80)) { return problem }
        }
        if let problem = run("sends", lineCount: .max) { return problem }
        for (ledger, steps) in ledgers.enumerated()
        where steps != Array(1...max(1, steps.count)) || steps.count < submitted[ledger] {
            return "The server's steps of ledger \(ledger) up to \(submitted[ledger]): \(steps)"
        }
        return nil
    }

    /// Serves a process, and kills it after a number of lines.
    private mutating func run(_ command: String, lineCount: Int) -> String? {
        guard
            let process = try? SecondProcess(
                [command, file.path, "\(seed.number)"],
                of: "SQLiteProbe"
            )
        else { return "The process can't be started." }
        (waiting, mustAnswer) = ([], command == "sends")
        var count = 0
        while count < lineCount {
            guard let line = process.line() else { return "The process has ended." }
            if line == "done" { return nil }
            if let problem = receive(line) { return problem }
            count += 1
            // Now and then, the answers come late, and in another order.
            if generator.below(3) > 0 || mustAnswer { answer(process) }
        }
        process.killAtOnce()
        for line in process.lines() {
            if let problem = receive(line) { return problem }
        }
        return nil
    }

    private mutating func answer(_ process: SecondProcess) {
        while !waiting.isEmpty {
            let (key, ledger) = waiting.remove(at: generator.below(waiting.count))
            let steps = ledgers[ledger].map(String.init).joined(separator: " ")
            process.write("\(key) \(steps)\n")
        }
    }

    private mutating func receive(_ line: String) -> String? {
        let words = line.split(separator: " ").map(String.init)
        let numbers = words.dropFirst().compactMap { Int($0) }
        switch words.first {
        case "ready": return nil
        case "full":
            mustAnswer = true
            return nil
        case "submitted":
            mustAnswer = false
            submitted[numbers[0]] = numbers[1]
            return nil
        case "shown":
            let steps = Array(numbers.dropFirst())
            let isComplete = steps.count >= submitted[numbers[0]]
            if isComplete, steps.isEmpty || steps == Array(1...steps.count) { return nil }
            return "After step \(submitted[numbers[0]]), the process shows \(line)"
        case "send" where words.count == 4:
            let (key, ledger, step) = (words[1], numbers[0], numbers[1])
            waiting.append((key, ledger))
            if keys.insert(key).inserted {
                ledgers[ledger].append(step)
            } else {
                repetitions += 1
            }
            return nil
        default: return line
        }
    }
}
