/// The payload of rows that are divided into sections of equal keys.
@usableFromInline
struct SectionMember<Key: Hashable & Sendable, Output: Sendable>: QueryPayload {
    @usableFromInline typealias Combining = NoSummary

    /// The number of sections that adjacent rows belong to, and the keys of the outer ones.
    @usableFromInline
    struct Summary: Sendable {
        @usableFromInline let count: Int
        @usableFromInline let first: Key?
        @usableFromInline let last: Key?

        @usableFromInline
        init(count: Int, first: Key?, last: Key?) {
            self.count = count
            self.first = first
            self.last = last
        }
    }

    /// The key of the section, or `nil` in the section of rows without a key.
    @usableFromInline let key: Key?
    /// The row that a closure has computed, or `()` if the rows are the elements.
    @usableFromInline let output: Output

    /// Creates the payload of a row.
    ///
    /// A key that doesn't equal itself, as NaN doesn't, can't be the key of a section.
    @usableFromInline
    init(key: Key?, output: Output) {
        self.key = key?.ifEqualToItself
        self.output = output
    }

    @usableFromInline static var emptySummary: Summary { Summary(count: 0, first: nil, last: nil) }

    @usableFromInline
    static func summary(of payload: SectionMember) -> Summary {
        Summary(count: 1, first: payload.key, last: payload.key)
    }

    @usableFromInline
    static func combine(_ first: Summary, _ second: Summary, _: NoSummary) -> Summary {
        if first.count == 0 { return second }
        if second.count == 0 { return first }
        let shared = first.last == second.first ? 1 : 0
        return Summary(
            count: first.count + second.count - shared,
            first: first.first,
            last: second.last
        )
    }
}
