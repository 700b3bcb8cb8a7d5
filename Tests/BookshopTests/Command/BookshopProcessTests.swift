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

    private func start(_ arguments: String...) throws -> SecondProcess {
        try SecondProcess(arguments + ["--data", data.path], of: "Bookshop")
    }

    @Test("The process finds its responses, and prints the tour to standard output")
    func tour() throws {
        let process = try start()
        #expect(process.lines().contains("Kept for the next visit in \(data.path)"))
        #expect(process.wait() == 0)
    }

    @Test("A broken response gives the process another exit status")
    func brokenResponse() throws {
        let folder = try TemporaryFolder(["books-1.json": #"{"id": 1, "title": "#])
        let process = try start(folder.path)
        #expect(!process.lines().isEmpty)
        #expect(process.wait() == 1)
    }

    @Test("Return ends a watch")
    func endOfWatch() throws {
        let process = try start("--watch")
        while let line = process.line(), !line.hasSuffix("/order.json") {}
        process.goOn()
        #expect(process.lines() == ["No longer watching."])
        #expect(process.wait() == 0)
    }
}
