/// The direction of an order.
public enum SortDirection: Hashable, Sendable {
    /// From the least to the greatest key.
    case ascending
    /// From the greatest to the least key.
    case descending
}
