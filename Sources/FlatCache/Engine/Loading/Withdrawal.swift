/// A removal or an invalidation of entities, whether or not they have values.
struct Withdrawal {
    /// The number of the withdrawal among those that concern loading handles.
    let number: UInt64
    let kind: WriteKind
}
