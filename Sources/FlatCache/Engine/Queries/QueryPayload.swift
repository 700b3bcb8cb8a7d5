/// The data of a row beside its place and its identifier.
@usableFromInline
protocol QueryPayload: Sendable {
    /// The summary of several rows.
    associatedtype Summary: Sendable
    /// The function that combines summaries.
    associatedtype Combining: Sendable

    static var emptySummary: Summary { get }
    static func summary(of payload: Self) -> Summary
    static func combine(_ first: Summary, _ second: Summary, _ combining: Combining) -> Summary
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

/// The payload of rows that a closure computes.
struct MappedRow<Output: Sendable>: QueryPayload {
    typealias Summary = NoSummary
    typealias Combining = NoSummary

    let output: Output
}

/// The payload of rows that are combined, in groups or all together.
struct GroupMember<Key: Hashable & Sendable, Value: Sendable>: QueryPayload {
    typealias Summary = Value?
    typealias Combining = @Sendable (Value, Value) -> Value

    /// The key of the group, or `nil` if the row belongs to none.
    let key: Key?
    /// The value, or `nil` if the row has none.
    let value: Value?

    static var emptySummary: Value? { nil }
    static func summary(of payload: GroupMember) -> Value? { payload.value }

    static func combine(_ first: Value?, _ second: Value?, _ combine: Combining) -> Value? {
        guard let first else { return second }
        return second.map { combine(first, $0) } ?? first
    }
}

extension GroupMember where Value: Equatable {
    /// Returns whether two values are equal, or neither is a number.
    static func areSame(_ first: Value?, _ second: Value?) -> Bool {
        if first == second { return true }
        guard let first, let second else { return false }
        return QuerySortKey.isOtherNotANumber(first) && QuerySortKey.isOtherNotANumber(second)
    }
}

extension Equatable {
    /// The value, or `nil` if it doesn't equal itself, as NaN doesn't.
    ///
    /// Such a value can't be the key of a group: no other key is equal to it.
    var ifEqualToItself: Self? { self == self ? self : nil }
}
