@testable import FlatCache
@testable import FlatCacheTestSupport

/// A rewriter that limits the price of each item.
final class PriceLimit: CommitRewriter {
    static let highest = 100

    func rewrite(_ commit: inout Commit) {
        for change in commit.changes(of: Item.self) {
            guard var item = change.new, item.price > Self.highest else { continue }
            item.price = Self.highest
            commit.set(item)
        }
    }

    /// Registers the rewriter, with a hook that refuses items whose price is too high.
    static func register(in cache: Cache) -> Disposable {
        cache.add(PriceLimit()) { $1.price <= highest }
    }
}
