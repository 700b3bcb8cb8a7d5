import FlatCache
import Foundation
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

/// Tests of rows after the key of their coder was replaced.
struct ResealedRowsTests {
    private struct NotAuthentic: Error {}

    private let folder: GraphFolder

    init() throws {
        folder = try GraphFolder()
    }

    /// Returns a coder with a toy cipher that seals with the first key and opens those of all keys.
    private func coder(_ keys: UInt8...) -> SealedRowCoder<CompactRowCoder> {
        SealedRowCoder(
            seal: { Data($0.map { $0 ^ keys[0] }) + [keys[0]] },
            open: { sealed in
                guard let key = sealed.last, keys.contains(key) else { throw NotAuthentic() }
                return Data(sealed.dropLast().map { $0 ^ key })
            }
        )
    }

    private func opened(
        _ coder: some RowCoder,
        load loading: DurableLoading = .onDemand
    ) async throws -> (Cache, SQLiteGraph) {
        let cache = Cache()
        let graph = try folder.graph(coder: coder) {
            Durable(Book.self, "book", load: loading)
            Durable(Author.self, "author", load: loading)
            DurableList("best", of: Book.self)
            DurableLists(withPrefix: "shelf/", of: Book.self)
            DurableAliases(of: Author.self)
            DurableResponses()
        }
        try await graph.attach(to: cache)
        return (cache, graph)
    }

    /// Writes seven rows with the key 1.
    private func write() async throws {
        let (cache, graph) = try await opened(coder(1))
        cache.set(Book(id: 1, title: "One"))
        cache.set(Book(id: 2, title: "Two"))
        cache.list("best", of: Book.self).replace(withIDs: [2, 1])
        cache.list("shelf/a", of: Book.self).replace(withIDs: [1])
        cache.alias("first", of: Author.self).set(Author(id: "a", name: "A"))
        _ = try await cache.load("top") { 7 }
        try await graph.detach()
    }

    private func expectAll(with coder: some RowCoder) async throws {
        let (cache, graph) = try await opened(coder, load: .atStart)
        #expect(cache.list("best", of: Book.self).elements.map(\.title) == ["Two", "One"])
        #expect(cache.list("shelf/a", of: Book.self).ids == [1])
        #expect(cache.alias("first", of: Author.self).value?.name == "A")
        #expect(try await cache.load("top") { 0 } == 7)
        #expect(try await graph.statistics.quarantinedRowCount == 0)
        #expect(folder.errors.all.isEmpty)
        try await graph.detach()
    }

    @Test(arguments: [true, false])
    func everyRowIsReadableWithoutTheFormerKey(declaresTypes: Bool) async throws {
        try await write()
        try await expectAll(with: coder(2, 1))
        if declaresTypes {
            let (_, graph) = try await opened(coder(2, 1))
            #expect(try await graph.resealRows() == 7)
            try await graph.detach()
        } else {
            // The graph isn't attached, either.
            let graph = try folder.graph(coder: coder(2, 1)) { Durable(Part.self, "part") }
            #expect(try await graph.resealRows() == 7)
        }
        try await expectAll(with: coder(2))
    }

    @Test func writesDuringTheReplacementHaveTheNewKey() async throws {
        try await write()
        let (cache, graph) = try await opened(coder(2, 1))
        cache.list("best", of: Book.self).append(contentsOf: [Book(id: 3, title: "Three")])
        try await graph.resealRows()
        cache.set(Book(id: 4, title: "Four"))
        try await graph.detach()
        let (copy, _) = try await opened(coder(2), load: .atStart)
        #expect(copy.list("best", of: Book.self).elements.map(\.id) == [2, 1, 3])
        #expect(copy[Book.self, 4]?.title == "Four")
        #expect(folder.errors.all.isEmpty)
    }

    @Test func quarantinedRowsAreSealedAgain() async throws {
        try await write()
        // The wrong key moves the loaded rows to the quarantine, where they keep their seal.
        let (_, other) = try await opened(coder(9), load: .atStart)
        let count = try await other.statistics.quarantinedRowCount
        #expect(count == 6)
        try await other.detach()
        let graph = try folder.graph(coder: coder(2, 1)) { Durable(Part.self, "part") }
        #expect(try await graph.resealRows() == 7)
        folder.errors.removeAll()
        let (_, restoring) = try await opened(coder(2))
        #expect(try await restoring.restoreQuarantinedRows() == 6)
        try await restoring.detach()
        try await expectAll(with: coder(2))
    }

    @Test func rowsThatCannotBeOpenedStay() async throws {
        try await write()
        let (cache, graph) = try await opened(coder(2))
        cache.set(Book(id: 3, title: "Three"))
        try await graph.flush()
        let before = try folder.run("SELECT hex(value) FROM book WHERE id < 3")
        #expect(try await graph.resealRows() == 1)
        #expect(try folder.run("SELECT hex(value) FROM book WHERE id < 3") == before)
    }

    @Test func failedCallChangesNothing() async throws {
        try await write()
        let before = try folder.run("SELECT hex(value) FROM book")
        let count = Recorder<Void>()
        let coder = coder(2, 1)
        let failing = SealedRowCoder(
            seal: { value in
                count.append(())
                if count.count == 5 { throw NotAuthentic() }
                return try coder.seal(value)
            },
            open: coder.open
        )
        let graph = try folder.graph(coder: failing) { Durable(Part.self, "part") }
        let error = await #expect(throws: SQLiteGraphError.self) { try await graph.resealRows() }
        #expect(error?.kind == .unencodable)
        #expect(try folder.run("SELECT hex(value) FROM book") == before)
        try await expectAll(with: self.coder(1))
    }

    @Test func otherCodersHaveNothingToSeal() async throws {
        let (cache, graph) = try await opened(CompactRowCoder())
        cache.set(Book(id: 1, title: "One"))
        try await graph.flush()
        #expect(try await graph.resealRows() == 0)
        let (copy, _) = try await opened(CompactRowCoder(), load: .atStart)
        #expect(copy[Book.self, 1]?.title == "One")
    }

    @Test func suspendedGraphThrows() async throws {
        let (_, graph) = try await opened(coder(1))
        try await graph.suspend()
        let error = await #expect(throws: SQLiteGraphError.self) { try await graph.resealRows() }
        #expect(error?.kind == .suspended)
    }
}
