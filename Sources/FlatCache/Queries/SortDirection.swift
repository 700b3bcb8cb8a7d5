/// The direction of an order.
public enum SortDirection: Hashable, Sendable {
    /// The order from the least to the greatest key.
    case ascending
    /// The order from the greatest to the least key.
    case descending
}
