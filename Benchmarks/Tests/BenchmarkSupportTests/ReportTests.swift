import Foundation
import Testing

@testable import BenchmarkSupport

struct ReportTests {
    @Test func jsonDecodesToTheWrittenReport() throws {
        let report = try sampleReport()
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        let copy = try decoder.decode(Report.self, from: report.json())
        #expect(copy.rows.map(\.row) == ["1", "2b", "14c"])
        #expect(copy.rows.map(\.ratio) == report.rows.map(\.ratio))
        #expect(copy.rows.map(\.rounds) == report.rows.map(\.rounds))
        #expect(copy.rows.map(\.isMet) == [true, false, nil])
        #expect(copy.machine.processor == "a processor")
    }

    @Test func columnsOfAllLinesOfTheTableAreBelowEachOther() throws {
        let rows = sampleRows
        let table = TextTable(rows)
        let header = table.header.split(separator: "\n")[0]
        let lines = try sampleReport().rows.map { table.line($0) }
        let column = try #require(header.range(of: "target"))
        for (line, text) in zip(lines, ["1.30", "1.15", "    "]) {
            let end = line.index(line.startIndex, offsetBy: header.distance(to: column.upperBound))
            #expect(line[..<end].hasSuffix(text))
        }
    }

    private var machine: Machine {
        Machine(date: .now, processor: "a processor", cores: 2, system: "a system", load: 0)
    }

    private var sampleRows: [Row] {
        [
            row("1", "fast & small", target: 1.3), row("2b", "slow < large", target: 1.15),
            row("14c", "far below", target: nil),
        ]
    }

    private func row(_ name: String, _ title: String, target: Double?) -> Row {
        Row(name, title, against: "something", target: target) { _ in
            Contest(baseline: { 1 }, subject: { 1 })
        }
    }

    private func sampleReport() throws -> Report {
        let ratios = [[0.9, 1.1, 1.2], [11, 12, 400], [1e-6]]
        let results = try zip(sampleRows, ratios).map { row, ratios in
            let rounds = ratios.map { Round(baseline: 100, subject: 100 * $0) }
            return try #require(RowResult(row, rounds: rounds))
        }
        return Report(machine: machine, rounds: 3, isQuick: false, seconds: 1, rows: results)
    }
}

extension StringProtocol {
    fileprivate func distance(to index: Index) -> Int { distance(from: startIndex, to: index) }
}
