import FlatCacheSQLite
import Foundation
import Testing

@testable import FlatCacheSQLiteTestSupport

struct GraphDescriptionsTests {
    @Test func dumpOfAGraphIsOneLine() async throws {
        let folder = try GraphFolder()
        let graph = try folder.graph()
        try await graph.suspend()
        #expect("\(graph)" == "SQLiteGraph of \(folder.url.path)")
        var text = ""
        dump(graph, to: &text)
        dump(Durable(Book.self, "book"), to: &text)
        #expect(text.split(separator: "\n").count == 2, "\(text)")
    }
}
