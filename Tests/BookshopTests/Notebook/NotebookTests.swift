import Foundation
import Testing

@testable import Bookshop

@Suite("Notebook")
struct NotebookTests {
    private let responses: TemporaryFolder
    private let data: TemporaryFolder

    init() throws {
        responses = try TemporaryFolder([
            "books.json": """
            {"items": [
                {"id": 1, "title": "Dune", "author": "herbert", "year": 1965},
                {"id": 2, "title": "Beloved", "author": "morrison", "year": 1987}
            ]}
            """
        ])
        data = try TemporaryFolder()
    }

    /// Runs the command and returns its output.
    private func visit(
        status: BookshopCommand.ExitStatus = .success
    ) async -> CollectedOutput {
        let collected = CollectedOutput()
        let arguments = ["--data", data.path, responses.path]
        let output = collected.output
        #expect(await BookshopCommand.run(arguments: arguments, output: output) == status)
        return collected
    }

    /// Returns the notebook's lines of an output.
    private func chapter(of collected: CollectedOutput) -> [String] {
        Array(collected.lines.drop { !$0.hasPrefix("Kept for the next visit") }.dropFirst(2))
    }

    @Test("The second visit restores the state of the first")
    func secondVisit() async {
        #expect(
            await chapter(of: visit()) == [
                "    settings.json  orders are sorted by title",
                "    order.json     a new draft of 2 books",
                "        Beloved (1987)",
                "        Dune (1965)",
            ]
        )
        #expect(
            await chapter(of: visit()) == [
                "    settings.json  orders are sorted by title",
                "    order.json     a draft of 2 books, remembered from an earlier visit",
                "        Beloved (1987)",
                "        Dune (1965)",
            ]
        )
    }

    @Test("The files are text that can be edited between two visits")
    func editing() async throws {
        _ = await visit()
        #expect(try data.contents(of: "settings.json") == "{\n  \"sorting\" : \"title\"\n}\n")
        let order = try data.contents(of: "order.json")
        #expect(order.hasSuffix("}\n"))
        try data.write(
            order.replacingOccurrences(of: "Beloved", with: "Jazz")
                .replacingOccurrences(of: #""copies" : 1"#, with: #""copies" : 2"#),
            to: "order.json"
        )
        try data.write(#"{"sorting": "year"}"#, to: "settings.json")

        #expect(
            await chapter(of: visit()) == [
                "    settings.json  orders are sorted by year",
                "    order.json     a draft of 2 books, remembered from an earlier visit",
                "        Dune (1965), 2 copies",
                "        Jazz (1987), 2 copies",
            ]
        )
        #expect(try data.contents(of: "settings.json") == #"{"sorting": "year"}"#)
    }

    @Test("A visit keeps an invalid file and reports it", arguments: ["settings", "order"])
    func brokenFiles(name: String) async throws {
        try data.write("{\n  [,]\n}", to: "\(name).json")

        let collected = await visit(status: .somethingSkipped)
        try #require(collected.errors.count == 1)
        #expect(collected.errors[0].contains("\(data.path)\(name).json"))
        #expect(collected.errors[0].contains("not valid JSON"))
        #expect(try data.contents(of: "\(name).json") == "{\n  [,]\n}")
    }

    @Test("An unusable data folder is named, and the tour continues")
    func noFolder() async throws {
        try data.write("", to: "file")
        let collected = CollectedOutput()
        let path = data.path + "file"
        let arguments = ["--data", path, responses.path]
        let status = await BookshopCommand.run(arguments: arguments, output: collected.output)
        #expect(status == .somethingSkipped)
        #if HasSQLite
        #expect(collected.errors.count == 3)
        #else
        #expect(collected.errors.count == 1)
        #endif
        #expect(collected.errors.allSatisfy { $0.contains(path) })
        let removed = "    removed         2 values, counting lists and responses"
        #expect(collected.lines.contains(removed))
    }
}
