#if HasSQLite
import FlatCache
import FlatCacheSQLite
import Foundation

extension Cache {
    /// The author whom the shop presents.
    var presented: CachedAlias<Author> { alias("presented", of: Author.self) }
}

extension Tour {
    /// The chapter that needs SQLite.
    func shopFileChapter(in folder: URL) -> Chapter? {
        Chapter("The next visit starts with the shop: Tour+ShopFile.swift") {
            try await keepShop(in: folder)
        }
    }

    /// Writes the shop to a file, and starts the next visit with it.
    private func keepShop(in folder: URL) async throws {
        let graph = try SQLiteGraph(
            folder.appending(path: "shop.sqlite"),
            onError: { output.error("\($0)") }
        ) {
            Durable(Book.self, "book")
            Durable(Author.self, "author", load: .atStart)
            Durable(Publisher.self, "publisher")
            Durable(Highlight.self, "highlight")
            DurableList("all books", of: Book.self)
            DurableAliases(of: Author.self)
            DurableResponses()
        }
        let rowCounts = try await graph.statistics.rowCounts
        let known = rowCounts["book"] ?? 0
        output.row("earlier visit", known == 0 ? "none" : counted(known, "book"))

        // An app attaches the graph when it starts, and each change is written a moment later.
        cache.presented.target = "le-guin"
        try await graph.attach(to: cache)
        try await graph.detach()
        output.row("written", stock())
        // The rest of the tour is the same without this chapter.
        cache.presented.target = nil

        // The cache of the next visit is empty, and makes no request.
        let next = Cache()
        try await graph.attach(to: next)
        let list = next.list("all books", of: Book.self)
        output.row("next visit", "\(counted(list.elements.count, "book")), next page \(list.next)")
        output.row("presented", next.presented.value?.name ?? "nobody")
        let highlights = try? await next.load("highlights", policy: .cacheOnly) {
            try await api.get("highlights", as: [Highlight].self)
        }
        output.row("response", counted(highlights?.count ?? 0, "highlight"))
        try await graph.detach()
    }
}
#else
import Foundation

extension Tour {
    /// The chapter that needs SQLite.
    ///
    /// The package's manifest hasn't found SQLite's header.
    func shopFileChapter(in folder: URL) -> Chapter? { nil }
}
#endif
