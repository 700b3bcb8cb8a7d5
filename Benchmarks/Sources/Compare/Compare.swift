import BenchmarkSupport
import Foundation

/// Measures all rows and prints one table.
@main
enum Compare {
    static func main() throws {
        ChildProcess.endWithParent()
        MemoryQuestion.answerIfAsked()
        OutsideWriter.writeIfAsked()
        let options: Options
        do {
            options = try Options(Array(CommandLine.arguments.dropFirst()))
        } catch {
            FileHandle.standardError.write(Data("error: \(error)\n".utf8))
            exit(2)
        }
        if options.wantsHelp {
            print(Options.help)
        } else if options.listsRows {
            for row in options.rows { print(row.name, row.title, "against", row.baseline) }
        } else if options.isSoak {
            if !soak(options), options.mustMeetTargets { exit(1) }
        } else if options.isRaw {
            try printRawResults(options)
        } else {
            let report = measure(options)
            try write(report, to: options.output)
            if options.mustMeetTargets, !isGood(report, options) { exit(1) }
        }
    }

    /// Measures the rows in this process.
    private static func printRawResults(_ options: Options) throws {
        Stopwatch.usesWallClockOnly = options.usesWallClockOnly
        let results = options.rows.compactMap {
            $0.measure(rounds: options.rounds, scale: options.scale)
        }
        print(String(decoding: try JSONEncoder().encode(results), as: UTF8.self))
    }

    /// Measures each row in a process of its own, and prints its line as soon as it is complete.
    private static func measure(_ options: Options) -> Report {
        let machine = Machine.current()
        let start = Date()
        show("\(machine), \(options.rounds) rounds")
        if options.isQuick { show("Quick: small sizes, whatever the titles say.") }
        let table = TextTable(options.rows)
        show(table.header)
        var results: [RowResult] = []
        var skipped: [String] = []
        for row in options.rows {
            do {
                try row.checkRequirement()
            } catch {
                skipped.append(row.name)
                show(table.line(row, remark: "skipped: \(error)"))
                continue
            }
            do {
                let result = try measure(row, options)
                results.append(result)
                show(table.line(result))
                if let note = result.note { show("     (\(note))") }
            } catch {
                show(table.line(row, remark: "no result: \(error)"))
            }
        }
        let seconds = Date().timeIntervalSince(start)
        show("\(Int(seconds.rounded())) s in all")
        return Report(
            machine: machine,
            rounds: options.rounds,
            isQuick: options.isQuick,
            seconds: seconds,
            rows: results,
            skipped: skipped
        )
    }

    /// Uses one cache for a long time.
    ///
    /// Returns whether the process's memory stays within a quarter above its size at the first
    /// tenth. Before that, the allocator is still acquiring the memory that it reuses.
    private static func soak(_ options: Options) -> Bool {
        var soak = Soak(operations: options.isQuick ? 100_000 : 10_000_000)
        var residentBytes: [Int] = []
        let start = Date()
        soak.run { mark in
            show("\(mark)")
            if let bytes = mark.residentBytes { residentBytes.append(bytes) }
        }
        show("\(Int(Date().timeIntervalSince(start).rounded())) s in all")
        guard let first = residentBytes.first, let largest = residentBytes.max() else {
            return false
        }
        return largest <= first + first / 4
    }

    // Flushes, so that a line also appears at once in a file or a pipe.
    private static func show(_ line: String) {
        print(line)
        fflush(nil)
    }

    // Measures a row in a child process. The memory that a row leaves in the allocator would
    // influence the rows after it, and a row that traps would end all of them.
    private static func measure(_ row: Row, _ options: Options) throws -> RowResult {
        var arguments = ["--raw", "--rows", row.name, "--rounds", String(options.rounds)]
        if options.isQuick { arguments.append("--quick") }
        if options.usesWallClockOnly { arguments.append("--wall") }
        let output = try ChildProcess.output(arguments: arguments)
        guard let result = try JSONDecoder().decode([RowResult].self, from: output).first else {
            throw Options.Problem(description: "nothing could be measured")
        }
        return result
    }

    private static func write(_ report: Report, to path: String?) throws {
        let folder =
            path.map { URL(fileURLWithPath: $0, isDirectory: true) }
            ?? FileManager.default.temporaryDirectory
            .appendingPathComponent("FlatCache-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try report.json().write(to: folder.appendingPathComponent("results.json"))
        print("Written to \(folder.path): results.json")
    }

    private static func isGood(_ report: Report, _ options: Options) -> Bool {
        report.rows.count + report.skipped.count == options.rows.count
            && report.rows.allSatisfy(\.isAccepted)
    }
}
