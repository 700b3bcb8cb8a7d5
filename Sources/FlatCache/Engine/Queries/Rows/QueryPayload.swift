/// The data of a row besides its place and its identifier.
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
