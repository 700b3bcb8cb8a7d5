import FlatCachePersistence
import Foundation
import TestSupport
import Testing

@testable import Bookshop

@Suite("Notebook watch", .serialized)
struct NotebookWatchTests {
    private let collected = CollectedOutput()
    private let data: TemporaryFolder

    init() throws {
        data = try TemporaryFolder([
            "settings.json": #"{"sorting": "title"}"#,
            "order.json": Self.order("Dune"),
        ])
    }

    private static func order(_ titles: String...) -> String {
        let items = titles.map { #"{"book": 1, "title": "\#($0)", "year": 1965, "copies": 1}"# }
        return #"{"items": [\#(items.joined(separator: ", "))]}"#
    }

    private func notebook() -> Notebook {
        let output = collected.output
        return Notebook(folder: data.url) { output.error($0.description) }
    }

    /// Watches the folder on a new thread while a closure runs there.
    private func watch(while body: @escaping @Sendable () throws -> Void) async throws {
        let watch = NotebookWatch(notebook: notebook(), output: collected.output)
        try await onOwnThread {
            watch.run { #expect(throws: Never.self) { try body() } }
        }
    }

    private func isReported(_ line: String) -> Bool {
        blockUntil { collected.lines.contains(line) }
    }

    @Test("The watch reports its beginning and its end")
    func beginningAndEnd() async throws {
        try await watch { #expect(collected.lines.last == "    \(data.path)order.json") }
        #expect(
            collected.lines.suffix(3) == [
                "    \(data.path)settings.json", "    \(data.path)order.json",
                "No longer watching.",
            ]
        )
        #expect(collected.errors.isEmpty)
    }

    @Test("The watch reports writes of this process until its end")
    func ownWrites() async throws {
        let other = notebook()
        try await watch {
            other.order?.items[0].copies = 2
            #expect(isReported("order.json: 1 book; Dune (1965), 2 copies"))
            other.settings.sorting = .year
            #expect(isReported("settings.json: orders are sorted by year"))
        }
        other.order = nil
        #expect(collected.lines.last == "No longer watching.")
    }

    @Test("The watch reports an edit by hand with the new value")
    func edits() async throws {
        try await watch {
            try data.write(Self.order("Dune", "Beloved"), to: "order.json")
            #expect(isReported("order.json: 2 books; Beloved (1965); Dune (1965)"))
            try data.write(#"{"sorting": "year"}"#, to: "settings.json")
            #expect(isReported("settings.json: orders are sorted by year"))
        }
    }

    @Test("The watch reports an invalid edit, and then its repair")
    func brokenEdits() async throws {
        try await watch {
            try data.write("{\n  \"items\": [,]\n}", to: "order.json")
            #expect(blockUntil { collected.errors.contains { $0.contains("order.json") } })
            #expect(try data.contents(of: "order.json") == "{\n  \"items\": [,]\n}")

            try data.write(Self.order("Emma"), to: "order.json")
            #expect(isReported("order.json: 1 book; Emma (1965)"))
        }
        #expect(try data.contents(of: "order.json") == Self.order("Emma"))
    }

    @Test("The watch reports a deletion and a replacement of the file")
    func deletions() async throws {
        try await watch {
            try data.remove("order.json")
            #expect(isReported("order.json: deleted; now there is no draft"))
            try data.write(Self.order("Emma"), to: "order.json")
            #expect(isReported("order.json: 1 book; Emma (1965)"))
            try data.remove("settings.json")
            #expect(isReported("settings.json: deleted; now orders are sorted by title"))
        }
    }

    @Test("The command watches after the tour, where nothing was kept before")
    func command() async throws {
        let responses = try TemporaryFolder([
            "books.json": #"{"items": [{"id": 1, "title": "Dune", "author": "herbert"}]}"#
        ])
        let path = data.path + "deeper/folder"
        let status = await BookshopCommand.run(
            arguments: ["--watch", "--data", path, responses.path],
            output: collected.output,
            untilEnd: {
                #expect(collected.lines.contains("    order.json     a new draft of 1 book"))
                #expect(collected.lines.last == "    \(path)/order.json")
                #expect(throws: Never.self) {
                    try data.write(Self.order("Emma"), to: "deeper/folder/order.json")
                }
                #expect(isReported("order.json: 1 book; Emma (1965)"))
            }
        )
        #expect(status == .success)
        #expect(collected.lines.last == "No longer watching.")
    }
}
