#if canImport(CPostgres)
import Foundation
import PostgresProbe
import TestSupport
import Testing

@testable import FlatCachePostgres

/// The reading of logs, by logs with one problem.
@Suite struct NodeLogsTests {
    /// Returns the problems of one log per text, whose lists are as two transactions leave them.
    private func problems(_ texts: String...) throws -> [String] {
        let folder = try TemporaryFolder()
        let files = try texts.enumerated().map { number, text in
            let file = folder.file("\(number).log")
            try text.write(to: file, atomically: true, encoding: .utf8)
            return file
        }
        return try NodeLogs(files, final: [1: [8, 16], 2: [9]]).check()
    }

    /// Returns the word of a read.
    private func read(_ list: Int, _ numbers: UInt64...) -> String {
        "r:\(list):\(WorkEntry.summary(numbers))"
    }

    /// Returns the word of a list that a commit shows.
    private func shown(_ list: Int, _ numbers: UInt64...) -> String {
        "\(list):\(WorkEntry.summary(numbers))"
    }

    private var first: String {
        "B 1 10\nA 1 \(read(1)) a:1:8 \(read(1, 8)) \(read(2)) a:2:9\nC 1 20\n"
    }

    private var second: String { "B 2 30\nA 2 \(read(1, 8)) a:1:16\nC 2 40\n" }

    @Test("Logs without a problem, of which one ends in the middle of a line")
    func whole() throws {
        let shows = "V \(shown(1, 8)) \(shown(2, 9))\nV \(shown(1, 8, 16))\nE\n"
        #expect(try problems(first + shows, second + "A 3 \(read(1, 7))").isEmpty)
        // The answer hasn't arrived.
        #expect(try problems(first, second.replacing("C 2 40\n", with: "U 2\n")).isEmpty)
        #expect(try problems(first, second.replacing("C 2 40\n", with: "")).isEmpty)
    }

    @Test("A commit that shows a part of a transaction, and one that goes back")
    func commits() throws {
        let torn = "V \(shown(1, 8))\nV \(shown(2, 9))\n"
        #expect(try problems(first + torn, second).contains { $0.hasPrefix("G-single") })
        let back = "V \(shown(1, 8, 16)) \(shown(2, 9))\nV \(shown(1, 8))\n"
        #expect(try problems(first + back, second).contains { $0.hasPrefix("G-single") })
        let strange = "V \(shown(1, 7))\n"
        #expect(try problems(first + strange, second).count == 1)
    }

    @Test("A node that isn't up to date at the end")
    func end() throws {
        let old = "V \(shown(1, 8)) \(shown(2, 9))\nE\n"
        #expect(try problems(first + old, second).count == 1)
    }

    @Test("A failed transaction whose numbers are there, and a write that isn't")
    func outcomes() throws {
        let failed = second.replacing("C 2 40\n", with: "F 2\n")
        #expect(try problems(first, failed).contains { $0.hasPrefix("G1a") })
        let more = "B 3 50\nA 3 \(read(2, 9)) a:2:24\nC 3 60\n"
        #expect(try problems(first, second + more).contains { $0.hasPrefix("lost") })
        #expect(try problems("", "").count > 0)
    }

    @Test("A transaction that doesn't read its own write, if it's committed")
    func ownWrites() throws {
        let wrong = second.replacing("a:1:16", with: "a:1:16 \(read(1, 8))")
        #expect(try problems(first, wrong).contains { $0.hasPrefix("contradiction") })
        let failed = "B 3 50\nA 3 \(read(2, 9)) a:2:24 \(read(2, 9))\nF 3\n"
        #expect(try problems(first, second + failed).isEmpty)
    }
}
#endif
