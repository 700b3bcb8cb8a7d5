/// The result of the check of a due entry.
enum Expiry: Equatable {
    /// According to its record and its mark, the entry is due later.
    case postponed
    /// The entry isn't in use; its value must be removed.
    case expired
    /// The entry stays and becomes stale with the open transaction.
    case becomesStale
    /// The entry is in use and has been stale before.
    case staysStale
}
