@testable import FlatCache
@testable import FlatCacheTestSupport

/// A row in tests, with data and a note that don't matter for the order.
typealias TestRow = QueryRow<Int, TestPayload>
typealias TestRows = QueryRows<Int, TestPayload>
typealias TestRowChanges = QueryRowChanges<Int, TestPayload>

struct TestPayload: QueryPayload, Equatable {
    typealias Combining = NoSummary

    /// An object that some rows refer to.
    final class Note: Equatable, Sendable {
        static func == (first: Note, second: Note) -> Bool { true }
    }

    var data = 0
    var note: Note?

    static var emptySummary: TestSummary { TestSummary() }
    static func summary(of payload: TestPayload) -> TestSummary { TestSummary(of: payload) }

    static func combine(
        _ first: TestSummary,
        _ second: TestSummary,
        _: NoSummary
    ) -> TestSummary {
        first.combined(with: second)
    }
}

/// A summary that depends on the order of the rows: the number that their data make as digits, and
/// the place value of the next digit.
struct TestSummary: Equatable, Sendable {
    private var number: UInt64 = 0
    private var placeValue: UInt64 = 1

    init() {}

    init(of payload: TestPayload) {
        number = UInt64(payload.data &+ 1)
        placeValue = 1_000_003
    }

    init(of rows: some Sequence<TestRow>) {
        self = rows.reduce(TestSummary()) { $0.combined(with: TestSummary(of: $1.payload)) }
    }

    func combined(with next: TestSummary) -> TestSummary {
        var combined = self
        combined.number = number &* next.placeValue &+ next.number
        combined.placeValue = placeValue &* next.placeValue
        return combined
    }
}

extension QueryRow where ID == Int, Payload == TestPayload {
    init(_ key: Int?, id: Int, data: Int = 0, note: TestPayload.Note? = nil) {
        let payload = TestPayload(data: data, note: note)
        self.init(key: QuerySortKey(key), id: id, payload: payload)
    }

    /// The parts that have to be kept.
    var parts: [Int] { [Int(truncatingIfNeeded: key.prefix), id, payload.data] }
}

extension QueryRows where ID == Int, Payload == TestPayload {
    init(_ rows: [TestRow] = []) {
        self.init(unordered: rows, combining: NoSummary())
    }

    var all: [TestRow] { rows(in: 0..<count) }

    func rows(in positions: Range<Int>) -> [TestRow] {
        var rows: [TestRow] = []
        forEach(in: positions) { rows.append($0) }
        return rows
    }

    mutating func edit(removing removals: [TestRow] = [], inserting insertions: [TestRow] = []) {
        apply(QueryRowChanges(removing: removals, inserting: insertions))
    }
}

extension QueryRowChanges where ID == Int, Payload == TestPayload {
    init(removing removals: [TestRow], inserting insertions: [TestRow] = []) {
        self.init()
        (removed, inserted) = (removals, insertions)
        sort()
    }
}
