import TestSupport
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct SharedQueriesTests {
    private final class Query: Sendable {
        let name: Int
        let ends: Recorder<Int>

        init(_ name: Int, _ ends: Recorder<Int>) { (self.name, self.ends) = (name, ends) }

        deinit { ends.append(name) }
    }

    private final class Value: Hashable, Sendable {
        let number: Int
        let ends: Recorder<Int>

        init(_ number: Int, _ ends: Recorder<Int>) { (self.number, self.ends) = (number, ends) }

        deinit { ends.append(number) }

        static func == (left: Value, right: Value) -> Bool { left.number == right.number }

        func hash(into hasher: inout Hasher) { hasher.combine(number) }
    }

    private let queryEnds = Recorder<Int>()
    private let valueEnds = Recorder<Int>()

    private func key(_ number: Int) -> SharedQueries.Key {
        let value = Value(number, valueEnds)
        return SharedQueries.Key(
            value: SharedQueryValue(value, fileID: "Tests/File.swift", line: 1, column: 1),
            type: ObjectIdentifier(Int.self),
            conditionCount: 0,
            orderCount: 0,
            window: QueryWindow(),
            pinsElements: false
        )
    }

    @Test("A search for ended queries leaves the releases of values and queries to its caller")
    func releasing() {
        let live = Locked<Query?>(Query(0, queryEnds))
        var queries = SharedQueries()
        for number in 0..<64 {
            let (_, released) = queries.query(key(number)) {
                number == 0 ? live.withLock { $0 } ?? Query(0, queryEnds) : Query(number, queryEnds)
            }
            #expect(released == nil)
        }
        queryEnds.removeAll()
        var result = queries.query(key(64)) {
            // The search has loaded the query that this thread now releases.
            live.withLock { $0 = nil }
            return Query(64, queryEnds)
        }
        #expect(result.query.name == 64)
        #expect(queryEnds.all == [])
        #expect(valueEnds.all == [])
        result.released = nil
        #expect(queryEnds.all == [0])
        #expect(Set(valueEnds.all) == Set(1..<64))
    }
}
