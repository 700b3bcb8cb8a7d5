/// A row of a result: an entity at its place in the order.
@usableFromInline
struct QueryRow<ID: Hashable & Sendable, Payload: QueryPayload>: Sendable {
    @usableFromInline let key: QuerySortKey
    @usableFromInline let id: ID
    /// The value that the query projects the entity to.
    ///
    /// The rows of a query without a projection have a payload without data, since the cache
    /// contains the values.
    @usableFromInline let payload: Payload

    @inlinable
    init(key: QuerySortKey, id: ID, payload: Payload) {
        self.key = key
        self.id = id
        self.payload = payload
    }

    /// A Boolean value that indicates whether the row refers to no objects.
    @inlinable var isPlain: Bool { key.rest == nil && MemoryLayout<(ID, Payload)>.isPlain }

    /// Returns a negative number, zero or a positive number if the first row comes before, with or
    /// after the second one.
    @inlinable
    static func compare(_ left: QueryRow, _ right: QueryRow) -> Int {
        let keys = QuerySortKey.compare(left.key, right.key)
        return keys == 0 ? IdentifierOrder.compare(left.id, right.id) : keys
    }

    @inlinable
    static func areInOrder(_ left: QueryRow, _ right: QueryRow) -> Bool {
        compare(left, right) < 0
    }
}
