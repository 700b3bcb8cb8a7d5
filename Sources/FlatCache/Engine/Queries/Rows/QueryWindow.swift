/// The part of an ordered result that a query shows.
@usableFromInline
struct QueryWindow: Hashable, Sendable {
    /// The number of rows to leave out at the beginning.
    @usableFromInline var offset = 0
    /// The maximum number of rows, or `nil` if there's no limit.
    @usableFromInline var limit: Int?

    @inlinable
    init() {}

    @inlinable var isEverything: Bool { offset == 0 && limit == nil }

    /// Returns the positions that the window shows of a number of rows.
    @inlinable
    func positions(of count: Int) -> Range<Int> {
        let start = min(offset, count)
        return start..<(limit.map { min(start + min($0, count), count) } ?? count)
    }
}
