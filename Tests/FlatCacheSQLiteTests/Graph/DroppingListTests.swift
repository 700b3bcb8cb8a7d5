import FlatCache
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

/// Tests of lists in a file that drop removed entities.
struct DroppingListTests {
    private let folder: GraphFolder

    init() throws {
        folder = try GraphFolder()
    }

    private func launch(
        books: DurableLoading,
        _ body: (Cache) throws -> Void
    ) async throws {
        var configuration = CacheConfiguration()
        configuration.dropRemovedElements(of: Book.self)
        let cache = Cache(configuration: configuration)
        let graph = try folder.graph {
            Durable(Book.self, "book", load: books)
            DurableList("best", of: Book.self)
        }
        try await graph.attach(to: cache)
        try body(cache)
        try await graph.detach()
    }

    @Test(
        "A list that was loaded drops an entity in the file, too",
        arguments: [
            DurableLoading.atStart, .onDemand,
        ]
    )
    func removal(loading: DurableLoading) async throws {
        try await launch(books: loading) { cache in
            let list = cache.list("best", of: Book.self)
            list.replace(with: (1...4).map { Book(id: $0, title: "Book \($0)") })
            list.update { $0.append(9) }
        }
        try await launch(books: loading) { cache in
            cache.remove(Book.self, id: 2)
            // Neither memory nor the file contains the entity.
            cache.remove(Book.self, id: 9)
        }
        try await launch(books: loading) { cache in
            #expect(cache.list("best", of: Book.self).ids == [1, 3, 4])
            #expect(cache.list("best", of: Book.self).elements.count == 3)
        }
    }
}
