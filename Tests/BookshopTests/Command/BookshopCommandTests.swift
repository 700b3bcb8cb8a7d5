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

    private func run(_ arguments: String...) -> BookshopCommand.ExitStatus {
        BookshopCommand.run(
            arguments: arguments + ["--data", data.path],
            output: collected.output,
            untilEnd: { Issue.record("The command must not watch the folder.") }
        )
    }

    @Test("The shipped responses give exactly the expected output")
    func expectedOutput() throws {
        let file = URL(filePath: #filePath)
            .deletingLastPathComponent()
            .deletingLastPathComponent()
            .appending(path: "ExpectedOutput.txt")
        let expected = try String(contentsOf: file, encoding: .utf8)

        #expect(run() == .success)
        #expect(collected.text == expected)
        #expect(collected.problems.isEmpty)
    }

    @Test("The shipped tour fits a terminal")
    func readableOutput() {
        _ = run()
        #expect(collected.lines.count <= 90)
        #expect(collected.lines.allSatisfy { $0.count <= 100 })
    }

    @Test("Broken files are reported with their places, and the others still ingested")
    func skippedFiles() throws {
        let folder = try TemporaryFolder([
            "1.json": #"{"books": [{"id": 7, "title": "Dune", "author": "herbert"}]}"#,
            "2.json": "{\n  \"books\": [,]\n}",
            "3.json": #"{"books": [{"id": 1}, {"id": 2, "author": 5}]}"#,
            "4.json": #"{"authors": [{"id": "herbert", "name": "Frank Herbert"}]}"#,
            "notes.txt": "not a response",
        ])
        try folder.addFolder("5.json")

        #expect(run(folder.path) == .somethingSkipped)
        try #require(collected.problems.count == 3)
        #expect(
            collected.problems[0].hasPrefix("Skipped 2.json: The given data was not valid JSON")
        )
        #expect(collected.problems[1].hasPrefix("Skipped 3.json: books[1].author: "))
        #expect(collected.problems[2].hasPrefix("Skipped 5.json: "))
        let expected = [
            "2 responses in \(folder.url.lastPathComponent), 3 skipped",
            "1.json: 1 book",
            "    page of book 7  inserted",
            "4.json: 1 author",
            #"    page of book 7  related: Author("herbert")"#,
            "    title       Dune           1.json",
            "    author      Frank Herbert  4.json",
        ]
        for line in expected {
            #expect(collected.lines.contains(line), "\(line) is not in\n\(collected.text)")
        }
    }

    @Test("If every file was skipped, the command says so")
    func failureWithoutResponses() throws {
        let folder = try TemporaryFolder(["a.json": "]"])

        #expect(run(folder.path) == .somethingSkipped)
        #expect(collected.problems.count == 1)
        #expect(collected.lines.last == "No response is left to ingest.")
    }

    @Test("A missing folder is named")
    func missingFolder() throws {
        let path = try TemporaryFolder().path + "missing"

        #expect(run(path) == .somethingSkipped)
        #expect(collected.problems == ["There is no folder \(path)."])
        #expect(collected.lines.isEmpty)
    }

    @Test("A folder without responses is named")
    func emptyFolder() throws {
        let folder = try TemporaryFolder(["notes.txt": "{}"])

        #expect(run(folder.path) == .somethingSkipped)
        #expect(collected.problems == ["There are no .json files in \(folder.path)."])
        #expect(collected.lines.isEmpty)
    }

    @Test("A file in place of the folder is named")
    func fileInsteadOfFolder() throws {
        let folder = try TemporaryFolder(["a.json": "{}"])
        let path = folder.url.appending(path: "a.json").path(percentEncoded: false)

        #expect(run(path) == .somethingSkipped)
        #expect(collected.problems == ["\(path) is not a folder."])
    }

    @Test("Responses without books make a tour")
    func noBooks() throws {
        let folder = try TemporaryFolder(["a.json": #"{"authors": [{"id": "herbert"}]}"#])

        #expect(run(folder.path) == .success)
        #expect(collected.lines.contains("    authors        1 before, 0 after"))
        #expect(collected.lines.contains("    1 value removed"))
        #expect(collected.lines.last == "    order.json     not there, for want of books")
    }

    @Test("A withdrawn book has no history to show")
    func withdrawnBook() throws {
        let folder = try TemporaryFolder([
            "a.json": #"{"books": [{"id": 1, "title": "Dune"}]}"#,
            "b.json": #"{"removed": {"books": [1]}}"#,
        ])

        #expect(run(folder.path) == .success)
        #expect(collected.lines.contains("    page of book 1  removed"))
        #expect(collected.lines.contains("Book 1 is no longer in the shop."))
    }

    @Test("A book without a title differs from a missing book")
    func missingTitle() throws {
        let folder = try TemporaryFolder(["a.json": #"{"books": [{"id": 1}, {"id": 2}]}"#])

        #expect(run(folder.path) == .success)
        #expect(
            collected.lines.contains(
                "Read through the handles now: Book(1) has no title, Book(2) is nil."
            )
        )
    }

    @Test("One book has one page")
    func oneBook() throws {
        let folder = try TemporaryFolder(["a.json": #"{"books": [{"id": 1, "title": "Dune"}]}"#])

        #expect(run(folder.path) == .success)
        #expect(
            collected.lines.contains(
                "Open from the start: a page for book 1; a reading list of 1 book."
            )
        )
        #expect(collected.lines.contains("Read through the handles now: Book(1) is Dune."))
        #expect(collected.lines.last == "        Dune")
    }

    @Test("Help prints only the usage")
    func help() {
        #expect(run("--help", "--watch", "missing") == .success)
        #expect(collected.lines == [BookshopCommand.usage])
        #expect(collected.problems.isEmpty)
    }

    @Test("Wrong arguments are named, and the right ones shown")
    func wrongUsage() {
        #expect(run("one", "--wach") == .wrongUsage)
        #expect(
            collected.problems == ["There is no option --wach.\n\n\(BookshopCommand.usage)"]
        )
        #expect(collected.lines.isEmpty)
    }
}
