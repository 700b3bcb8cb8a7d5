#if canImport(SQLite3) || canImport(CSQLite)
/// The limits of the rows of a type that a durable graph keeps.
///
/// ```swift
/// let limit = DurableLimit.bytes(50_000_000).and(.age(.seconds(30 * 86_400)))
/// ```
///
/// If the rows exceed a number or a size, the graph deletes the least recently used rows, down to
/// nine tenths of the limit. Writing a row and loading it by its identifier are uses. If the rows
/// exceed an age or a staleness, the graph deletes them when it's attached to a cache, and later
/// with the first flush after each tenth of the duration.
///
/// Values in memory aren't affected.
public struct DurableLimit: Hashable, Sendable {
    private(set) var maximumSize: Int?
    private(set) var maximumCount: Int?
    private(set) var maximumAge: Duration?
    private(set) var maximumStaleness: Duration?

    /// The limit that keeps all rows.
    public static var none: DurableLimit { DurableLimit() }

    /// Returns the limit that keeps rows up to a total size of their encoded values.
    ///
    /// For example, `Durable(Book.self, "book", limit: .bytes(50_000_000))` keeps up to 50
    /// megabytes of books.
    ///
    /// - Parameter limit: The limit in bytes. SQLite needs additional space for each row.
    public static func bytes(_ limit: Int) -> DurableLimit { DurableLimit(maximumSize: limit) }

    /// Returns the limit that keeps a number of rows.
    ///
    /// For example, with `.count(500)`, the graph reduces more than 500 rows to the 450 most
    /// recently used ones.
    ///
    /// - Parameter limit: The maximum number of rows.
    public static func count(_ limit: Int) -> DurableLimit { DurableLimit(maximumCount: limit) }

    /// Returns the limit that keeps rows whose values were stored recently.
    ///
    /// If values of the type neither become stale nor expire, the cache doesn't record when they
    /// were stored. The age of a row is then the time since its latest use.
    ///
    /// A jump of the wall clock makes rows neither older nor younger. If no graph has used the file
    /// for a long time, rows therefore remain for longer than the limit: see <doc:Offline>.
    ///
    /// For example, `.age(.seconds(30 * 86_400))` keeps rows for 30 days.
    ///
    /// - Parameter limit: The maximum age.
    public static func age(_ limit: Duration) -> DurableLimit { DurableLimit(maximumAge: limit) }

    /// Returns the limit that keeps fresh rows, and rows that became stale recently.
    ///
    /// A row is stale if its value was stale when the graph wrote the row, or if the entity was
    /// invalidated. If a value became stale with time, after the graph had written its row, the row
    /// isn't marked as stale: use an age as well.
    ///
    /// For example, `.staleness(.seconds(7 * 86_400))` keeps rows for a week after they became
    /// stale.
    ///
    /// - Parameter limit: The maximum time for which a row is stale.
    public static func staleness(_ limit: Duration) -> DurableLimit {
        DurableLimit(maximumStaleness: limit)
    }

    /// Returns the limit that keeps only rows that two limits keep.
    ///
    /// Of two limits of one kind, the lower one counts.
    ///
    /// For example, `.count(1_000).and(.count(500))` keeps 500 rows.
    ///
    /// - Parameter other: The other limit.
    public func and(_ other: DurableLimit) -> DurableLimit {
        func lower<Bound: Comparable>(_ first: Bound?, _ second: Bound?) -> Bound? {
            [first, second].compactMap { $0 }.min()
        }
        return DurableLimit(
            maximumSize: lower(maximumSize, other.maximumSize),
            maximumCount: lower(maximumCount, other.maximumCount),
            maximumAge: lower(maximumAge, other.maximumAge),
            maximumStaleness: lower(maximumStaleness, other.maximumStaleness)
        )
    }
}
#endif
