import Foundation
import Testing

@testable import Bookshop

@Suite("Bookshop command")
struct BookshopCommandTests {
    private let collected = CollectedOutput()
    private let data: TemporaryFolder

    init() throws {
        data = try TemporaryFolder()
    }

    private func run(_ arguments: String...) async -> BookshopCommand.ExitStatus {
        await BookshopCommand.run(
            arguments: arguments + ["--data", data.path],
            output: collected.output,
            untilEnd: { Issue.record("The command must not watch the folder.") }
        )
    }

    @Test("The shipped responses give exactly the expected output")
    func expectedOutput() async throws {
        let file = URL(filePath: #filePath)
            .deletingLastPathComponent()
            .deletingLastPathComponent()
            .appending(path: "ExpectedOutput.txt")
        var expected = try String(contentsOf: file, encoding: .utf8)
        #if !HasSQLite
        // The last two chapters need SQLite.
        if let chapter = expected.firstRange(of: "\n10. "),
            let end = expected.firstRange(of: "\nOnly the page of book 1")
        {
            expected.removeSubrange(chapter.lowerBound..<end.lowerBound)
        }
        #endif
        #expect(await run() == .success)
        let text = collected.text.replacing(data.path, with: "FOLDER")
        #expect(text == expected, "\(differences(of: text, from: expected))")
        #expect(collected.errors.isEmpty)
    }

    /// The lines that were added and that are missing, which two long texts don't show.
    private func differences(of text: String, from expected: String) -> String {
        text.split(separator: "\n").difference(from: expected.split(separator: "\n"))
            .map { change in
                switch change {
                case .insert(let line, let text, _): "+\(line + 1): \(text)"
                case .remove(let line, let text, _): "-\(line + 1): \(text)"
                }
            }
            .joined(separator: "\n")
    }

    @Test("The shipped tour fits a terminal")
    func readableOutput() async {
        _ = await run()
        #expect(collected.lines.count <= 135)
        #expect(collected.lines.allSatisfy { $0.replacing(data.path, with: "").count <= 100 })
    }

    #if HasSQLite
    @Test("A visit finds the shop of an earlier one")
    func secondVisit() async {
        #expect(await run() == .success)
        #expect(collected.lines.contains("    earlier visit   none"))
        let count = collected.lines.count
        #expect(await run() == .success)
        #expect(collected.lines.dropFirst(count).contains("    earlier visit   39 books"))
        #expect(collected.errors.isEmpty)
    }
    #endif

    @Test("The data folder is named")
    func dataFolder() async {
        _ = await run()
        #expect(collected.lines.contains("Kept for the next visit in \(data.path)"))
    }

    @Test("Broken responses are reported, and the others still ingested")
    func brokenResponses() async throws {
        let folder = try TemporaryFolder([
            "books-1.json": "{\n  \"books\": [,]\n}",
            "books.json": """
            {"items": [{"id": 3, "title": "Dune", "author": {"id": "herbert", "name": "Frank"}}]}
            """,
            "books-details.json": #"[{"id": 1, "title": "", "author": ""}, {"id": 2, "title": 5}]"#,
            "authors-le-guin.json": #"{"id": "herbert", "name": "Frank Herbert"}"#,
            "notes.txt": "not a response",
        ])

        #expect(await run(folder.path) == .somethingSkipped)
        try #require(collected.errors.count == 2)
        #expect(collected.errors.allSatisfy { $0.hasPrefix("Skipped the rest of the chapter: ") })
        #expect(collected.errors[0].contains("not valid JSON"))
        #expect(collected.errors[1].contains("title"))
        let expected = [
            #"    page of book 3  inserted, with Author("herbert")"#,
            #"    list            1 book, with Author("herbert"), Book(3)"#,
            "    next page       end",
            #"    page of book 3  related, with Author("herbert")"#,
            "        Dune",
        ]
        for line in expected {
            #expect(collected.lines.contains(line), "\(line) is not in\n\(collected.text)")
        }
    }

    @Test("Requests that the folder has no file for are named, and the tour continues")
    func incompleteFolder() async throws {
        let folder = try TemporaryFolder([
            "books-1.json": #"{"id": 1, "title": "Dune", "author": "herbert"}"#
        ])

        #expect(await run(folder.path) == .success)
        #expect(collected.lines.count { $0 == "    not found" } == 7)
        #expect(
            collected.lines.contains(
                "    handles         Book(1) is Dune, Book(2) is nil, Book(3) is nil"
            )
        )
        #expect(
            collected.lines.last == "    order.json     not there, because there are no books"
        )
    }

    @Test("A page that is missing leaves the pages before it")
    func missingPage() async throws {
        let folder = try TemporaryFolder([
            "books.json": #"{"items": [{"id": 1, "title": "A", "author": "a"}], "next": "2"}"#
        ])

        #expect(await run(folder.path) == .success)
        #expect(collected.lines.contains("GET books?after=2"))
        #expect(collected.lines.last == "        A")
    }

    @Test("Help prints only the usage")
    func help() async {
        #expect(await run("--help", "--watch", "missing") == .success)
        #expect(collected.lines == [BookshopCommand.usage])
        #expect(collected.errors.isEmpty)
    }

    @Test("Wrong arguments are named, and the right ones shown")
    func wrongUsage() async {
        #expect(await run("one", "--wach") == .wrongUsage)
        #expect(
            collected.errors == ["There is no option --wach.\n\n\(BookshopCommand.usage)"]
        )
        #expect(collected.lines.isEmpty)
    }
}
