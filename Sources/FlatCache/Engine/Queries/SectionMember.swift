/// The payload of rows that are divided into sections of equal keys.
struct SectionMember<Key: Hashable & Sendable>: QueryPayload {
    typealias Combining = NoSummary

    /// The number of sections that adjacent rows belong to, and the keys of the outer ones.
    struct Summary: Sendable {
        var count = 0
        var first: Key?
        var last: Key?
    }

    /// The key of the section, or `nil` in the section of rows without a key.
    let key: Key?

    static var emptySummary: Summary { Summary() }

    static func summary(of payload: SectionMember) -> Summary {
        Summary(count: 1, first: payload.key, last: payload.key)
    }

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
