/// The direction of an order.
///
/// ```swift
/// let newest = cache.query(Book.self).sorted(by: \.year, .descending)
/// ```
public enum SortDirection: Hashable, Sendable {
    /// The order from the least to the greatest key.
    case ascending
    /// The order from the greatest to the least key.
    case descending
}
