/// The rule by which the entries of a table expire, with lifetimes in nanoseconds.
enum ExpirationRule: Sendable {
    case never
    case afterWrite(Int64)
    case afterAccess(Int64)
    /// Each value has a time of its own, or doesn't expire.
    case atOwnTime
}
