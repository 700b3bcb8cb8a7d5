/// A removal or an invalidation of entities, whether or not they have values.
struct Withdrawal {
    /// The number of the withdrawal, counted by `CacheCore.withdrawalCount`.
    let number: UInt64
    let kind: WriteKind
}
