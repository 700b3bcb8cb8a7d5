import Testing

@testable import FlatCache

struct EntityValuesTests {
    /// A value is a text; merging appends the incoming one.
    private let merge = ValueMerge<String>(over: { $0 + $1 }, beneath: { $0 + $1 })
    private var values = EntityValues(base: "0", firstLease: 0)

    private mutating func insert(_ value: String, at position: UInt64, _ kind: IncomingKind = .over)
    {
        values.insert(.init(position: position, value: value, kind: kind), merge)
    }

    @Test mutating func answersComeBeforeTheWritesSinceTheirRequests() {
        insert("a", at: 1)
        insert("c", at: 3)
        insert("b", at: 2)
        insert("d", at: 3)
        #expect(values.result(merge) == "0abcd")
        values.merge(before: 3, merge)
        #expect(values.writes.map(\.value) == ["c", "d"])
        #expect(values.result(merge) == "0abcd")
    }

    @Test mutating func answersAreBeneathLaterReplacements() {
        insert("r", at: 2, .replacing)
        #expect(values.result(merge) == "r")
        insert("a", at: 1)
        insert("b", at: 1)
        insert("s", at: 2)
        #expect(values.result(merge) == "bars")
    }

    @Test mutating func valueBeneathIsBeforeAllOthers() {
        insert("a", at: 1)
        insert("b", at: 1, .beneath)
        #expect(values.result(merge) == "b0a")
    }

    @Test func logKeepsTheValuesThatConcernALease() {
        var log = IncomingLog<Named>()
        let merge = ValueMerge<Named>(
            over: { Named(id: $0.id, name: $0.name + $1.name) },
            beneath: { Named(id: $0.id, name: $0.name + $1.name) }
        )
        for number in 0..<(3 * IncomingLog<Named>.maximumCount) {
            let write = EntityValues<Named>.Write(
                position: UInt64(number),
                value: Named(id: number, name: "a"),
                kind: .over
            )
            _ = log.record(write, of: number, over: nil, after: nil, oldest: { 0 }, merge)
        }
        // The log is full after each ten thousand values.
        #expect(log.values(of: 3, since: 0) == nil)
        #expect(log.values(of: 3 * IncomingLog<Named>.maximumCount - 1, since: 0) != nil)
        let value = Named(id: 3, name: "b")
        let write = EntityValues<Named>.Write(position: 9, value: value, kind: .over)
        _ = log.record(write, of: 3, over: nil, after: 4, oldest: { 0 }, merge)
        #expect(log.values(of: 3, since: 4) == nil)
        #expect(log.values(of: 3, since: 5)?.result(merge)?.name == "b")
    }
}

private struct Named: Identifiable {
    let id: Int
    let name: String
}
