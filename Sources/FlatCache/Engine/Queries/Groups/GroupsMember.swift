/// The payload of rows that belong to any number of groups, in the order of the query.
@usableFromInline
struct GroupsMember<Key: Hashable & Sendable, Value: Sendable>: QueryPayload {
    @usableFromInline typealias Summary = NoSummary
    @usableFromInline typealias Combining = @Sendable (Value, Value) -> Value

    /// The keys of the groups, without keys that don't equal themselves.
    @usableFromInline let keys: Set<Key>
    /// The value, or `nil` if the row has none.
    @usableFromInline let value: Value?

    @usableFromInline
    init(keys: Set<Key>, value: Value?) {
        self.keys = keys
        self.value = value
    }
}
