import Foundation
import TestSupport
import Testing

/// Runs the command as a process of its own.
@Suite("Bookshop process", .timeLimit(.minutes(20)))
struct BookshopProcessTests {
    private let data: TemporaryFolder

    init() throws {
        data = try TemporaryFolder()
    }

    /// Starts the command on a new thread, and calls a closure there that reads its output.
    private func run<Result: Sendable>(
        _ arguments: String...,
        body: @escaping @Sendable (SecondProcess) -> Result
    ) async throws -> Result {
        let arguments = arguments + ["--data", data.path]
        return try await onOwnThread { body(try SecondProcess(arguments, of: "Bookshop")) }
    }

    @Test("The process finds its responses, and prints the tour to standard output")
    func tour() async throws {
        let (lines, status) = try await run { ($0.lines(), $0.wait()) }
        #expect(lines.contains("Kept for the next visit in \(data.path)"))
        #expect(status == 0)
    }

    @Test("A broken response gives the process another exit status")
    func brokenResponse() async throws {
        let folder = try TemporaryFolder(["books-1.json": #"{"id": 1, "title": "#])
        let (lines, status) = try await run(folder.path) { ($0.lines(), $0.wait()) }
        #expect(!lines.isEmpty)
        #expect(status == 1)
    }

    @Test("Return ends a watch")
    func endOfWatch() async throws {
        let (lines, status) = try await run("--watch") { process in
            while let line = process.line(), !line.hasSuffix("/order.json") {}
            process.goOn()
            return (process.lines(), process.wait())
        }
        #expect(lines == ["No longer watching."])
        #expect(status == 0)
    }
}
