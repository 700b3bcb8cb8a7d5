import FlatCache
import Foundation

extension CacheType {
    /// The orders of the visitor.
    var orders: CachedList<Order> { list("orders", of: Order.self) }
}

extension Tour {
    /// Orders more copies than the shop has.
    ///
    /// The cache shows the order before the request, and rolls it back when the shop refuses it.
    func orderTooMany() async throws {
        let screens = [
            cache.orders.observe { output.notice("orders", $0) },
            cache.pendingLayers.observe { layers in
                output.row("saving", layers.isEmpty ? "nothing" : layers[0].label)
            },
        ]
        defer { for screen in screens { screen.dispose() } }
        do {
            try await cache.optimistically("300 copies of book 2") { layer in
                layer.set(Order(id: -1, book: Related(2), copies: 300))
                layer.list("orders", of: Order.self).append(-1)
            } confirm: {
                try await api.order(300, of: 2, key: UUID())
            } apply: { batch, order in
                batch.replaceIdentifier(of: Order.self, from: -1, to: order.id)
            }
        } catch let refusal as Refusal {
            output.row("refused", refusal.reason)
        }
    }
}
