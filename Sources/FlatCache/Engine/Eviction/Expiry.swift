/// The result of the expiry of a due entry.
enum Expiry: Equatable {
    /// According to its marks, the entry expires later.
    case postponed
    /// The entry isn't in use; its value must be removed.
    case expired
    /// The entry is in use and becomes stale with the open transaction.
    case becomesStale
    /// The entry is in use and has been stale before.
    case staysStale
}
