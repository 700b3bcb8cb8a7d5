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

/// The data of a row besides its place and its identifier.
@usableFromInline
protocol QueryPayload: Sendable {
    associatedtype Summary: Sendable
    associatedtype Combining: Sendable

    static var emptySummary: Summary { get }
    static func summary(of payload: Self) -> Summary
    static func combine(_ first: Summary, _ second: Summary, _ combining: Combining) -> Summary
}

/// The summary of rows that summarizes nothing.
@usableFromInline
struct NoSummary: Sendable {
    @usableFromInline init() {}
}

extension QueryPayload where Summary == NoSummary {
    @inlinable static var emptySummary: NoSummary { NoSummary() }
    @inlinable static func summary(of payload: Self) -> NoSummary { NoSummary() }

    @inlinable
    static func combine(_ first: NoSummary, _ second: NoSummary, _: Combining) -> NoSummary {
        first
    }
}

/// The payload of rows whose values belong to the cache.
@usableFromInline
struct NoPayload: QueryPayload {
    @usableFromInline typealias Summary = NoSummary
    @usableFromInline typealias Combining = NoSummary

    @inlinable init() {}
}

extension QueryRow {
    /// Sorts the rows of a value, from an index on, and keeps only the first one at each place.
    ///
    /// Rows of the same value have one place if it has equal keys.
    static func sortAndRemoveDuplicates(from first: Int, of rows: inout [QueryRow]) {
        if rows.count - first < 2 { return }
        var sorted = Array(rows[first...])
        sort(&sorted)
        rows.removeSubrange(first...)
        for row in sorted where rows.count == first || areInOrder(rows[rows.count - 1], row) {
            rows.append(row)
        }
    }

    /// Sorts rows.
    @_specialize(where ID == Int, Payload == NoPayload)
    @_specialize(where ID == String, Payload == NoPayload)
    static func sort(_ rows: inout [QueryRow]) {
        if rows.count > 1 { rows.sort(by: areInOrder) }
    }
}
