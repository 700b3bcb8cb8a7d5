import Foundation
import Testing

@testable import Bookshop

@Suite("Notebook")
struct NotebookTests {
    private let responses: TemporaryFolder
    private let data: TemporaryFolder

    init() throws {
        responses = try TemporaryFolder([
            "1.json": #"{"books": [{"id": 1, "title": "Dune", "year": 1965}]}"#,
            "2.json": #"{"books": [{"id": 2, "title": "Beloved", "year": 1987}]}"#,
        ])
        data = try TemporaryFolder()
    }

    /// Runs the command and returns its output.
    private func visit(
        _ arguments: String...,
        status: BookshopCommand.ExitStatus = .success
    ) -> CollectedOutput {
        let collected = CollectedOutput()
        let arguments = arguments + ["--data", data.path, responses.path]
        #expect(BookshopCommand.run(arguments: arguments, output: collected.output) == status)
        return collected
    }

    /// Returns the notebook's lines of an output.
    private func chapter(of collected: CollectedOutput) -> [String] {
        Array(collected.lines.drop { !$0.hasPrefix("Kept for the next visit") }.dropFirst())
    }

    @Test("The second visit restores the state of the first")
    func secondVisit() {
        #expect(
            chapter(of: visit()) == [
                "    settings.json  orders are sorted by title",
                "    order.json     a new draft of 2 books",
                "        Beloved (1987)",
                "        Dune (1965)",
            ]
        )
        #expect(
            chapter(of: visit()) == [
                "    settings.json  orders are sorted by title",
                "    order.json     a draft of 2 books, remembered from an earlier visit",
                "        Beloved (1987)",
                "        Dune (1965)",
            ]
        )
    }

    @Test("A changed setting applies to the visit that changes it and to later ones")
    func setting() {
        let byYear = [
            "    settings.json  orders are sorted by year",
            "    order.json     a draft of 2 books, remembered from an earlier visit",
            "        Dune (1965)",
            "        Beloved (1987)",
        ]
        _ = visit()
        #expect(chapter(of: visit("--sort", "year")) == byYear)
        #expect(chapter(of: visit()) == byYear)
    }

    @Test("The files are text that can be edited between two visits")
    func editing() throws {
        _ = visit()
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
            chapter(of: visit()) == [
                "    settings.json  orders are sorted by year",
                "    order.json     a draft of 2 books, remembered from an earlier visit",
                "        Dune (1965), 2 copies",
                "        Jazz (1987), 2 copies",
            ]
        )
        #expect(try data.contents(of: "settings.json") == #"{"sorting": "year"}"#)
    }

    @Test(
        "A visit keeps an invalid file and reports its location"
    )
    func brokenFiles() throws {
        try data.write("{\n  \"items\": [,]\n}", to: "order.json")
        try data.write(#"{"sorting": 1}"#, to: "settings.json")

        let collected = visit("--sort", "year", status: .somethingSkipped)
        let setting = "settings.json: sorting: "
        try #require(collected.problems.count == 3)
        #expect(collected.problems[0].hasPrefix(setting))
        #expect(collected.problems[1].hasPrefix(setting))
        #expect(collected.problems[2].hasPrefix("order.json: The given data was not valid JSON"))
        #expect(chapter(of: collected).isEmpty)
        #expect(try data.contents(of: "order.json") == "{\n  \"items\": [,]\n}")
        #expect(try data.contents(of: "settings.json") == #"{"sorting": 1}"#)
    }

    @Test("An unusable data folder is named, and the tour continues")
    func noFolder() throws {
        try data.write("", to: "file")
        let collected = CollectedOutput()
        let path = data.path + "file"
        let arguments = ["--data", path, responses.path]
        let status = BookshopCommand.run(arguments: arguments, output: collected.output)
        #expect(status == .somethingSkipped)
        #expect(collected.problems.count == 2)
        #expect(collected.problems.allSatisfy { $0.contains(path) })
        #expect(collected.lines.contains("    2 values removed"))
    }
}
