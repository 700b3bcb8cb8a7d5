import FlatCache

@testable import FlatCacheTestSupport

/// A query of a history, independent of the type of its entities.
protocol HistoryLiveQuery: Sendable {
    /// Returns the entries of the rows, in their order.
    func entries(in cache: some ReadableCache) -> [[Int]]

    func keepCurrent() -> Disposable
}

extension CachedQuery: HistoryLiveQuery where Element: HistoryEntity {
    func entries(in cache: some ReadableCache) -> [[Int]] {
        elements(in: cache).map(\.entries)
    }
}

extension HistoryEntity {
    /// Returns a query of a cache.
    ///
    /// - Parameters:
    ///   - other: The type of the other kind of entities.
    ///   - pause: The pause that the closures of the query take.
    static func query<Other: HistoryEntity>(
        _ query: HistoryQuery,
        relatedTo other: Other.Type,
        of cache: Cache,
        pausing pause: Pause
    ) -> any HistoryLiveQuery {
        let all = cache.query(Self.self)
        return switch query {
        case .latest:
            all.sorted(by: \.entries.last, .descending).limit(2)
        case .long:
            all.where { value in
                pause.take()
                return value.entries.count > 1
            }
            .sorted(by: \.entries.count).then(by: \.entries.last)
        case .even:
            all.where(CacheIndex("parity") { $0.entries.last.map { $0 % 2 } }, equals: 0)
                .sorted(by: \.entries.last)
        case .related:
            all.where { value, cache in lastEntry(of: other, value.number, in: cache) != nil }
                .sorted { value, cache in
                    pause.take()
                    return lastEntry(of: other, value.number, in: cache)
                }
        }
    }

    private static func lastEntry<Other: HistoryEntity>(
        of other: Other.Type,
        _ number: Int,
        in cache: QueryReader
    ) -> Int? {
        cache.get(other, id: Other.id(number, pausing: .none))?.entries.last
    }
}
