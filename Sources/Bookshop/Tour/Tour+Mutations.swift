#if HasSQLite
import FlatCache
import FlatCacheFoundation
import FlatCacheSQLite
import Foundation

/// An order that is kept in a file, and is sent until the shop accepts or refuses it.
struct PlaceOrder: CacheMutation {
    static let name = "place-order"
    var book: Book.ID
    var copies: Int
    /// The number of the order until the shop assigns one.
    var draft = Int.random(in: .min..<0)

    func show(in layer: CacheLayer) {
        layer.set(Order(id: draft, book: Related(book), copies: copies))
        layer.list("orders", of: Order.self).append(draft)
    }

    func send(with api: API, attempt: MutationAttempt) async throws -> Related<Order> {
        try await api.order(copies, of: book, key: attempt.key)
    }

    func apply(_ order: Related<Order>, to batch: CacheBatch) {
        batch.replaceIdentifier(of: Order.self, from: draft, to: order.id)
    }
}

extension Tour {
    /// The chapter about mutations, which needs SQLite.
    func mutationsChapter(in folder: URL) -> Chapter? {
        Chapter("An order made offline is sent at the next visit: Tour+Mutations.swift") {
            try await orderOffline(in: folder.appending(path: "orders.sqlite"))
        }
    }

    private func orderOffline(in file: URL) async throws {
        try await visit("offline", with: file) { mutations in
            mutations.pause()
            try await mutations.submit(PlaceOrder(book: 1, copies: 2))
        }
        // The cache of the next visit shows the order, and then sends it.
        try await visit("next visit", with: file) { mutations in
            _ = try await mutations.pending.first { $0.isEmpty }
        }
    }

    /// Opens a cache with the file of the orders, and closes both after a visit.
    private func visit(
        _ name: String,
        with file: URL,
        _ body: (MutationQueue<API>) async throws -> Void
    ) async throws {
        let graph = try SQLiteGraph(file, onError: { output.error("\($0)") }) {
            Durable(Order.self, "order")
            DurableList("orders", of: Order.self)
        }
        let cache = Cache()
        let screen = cache.orders.observe { output.notice(name, $0) }
        let mutations = try await cache.mutations(with: api, storedIn: graph) {
            PlaceOrder.self
        } onRollBack: { _, error in
            output.row("refused", "\(error)")
        }
        try await body(mutations)
        await cache.waitForObservers()
        screen.dispose()
        // The edits are rolled back, and the mutations remain in the file.
        await mutations.close()
        try await graph.detach()
    }
}
#else
import Foundation

extension Tour {
    /// The chapter about mutations, which needs SQLite.
    func mutationsChapter(in folder: URL) -> Chapter? { nil }
}
#endif
