import TestSupport
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct QueryRowSortingTests {
    private typealias Row = QueryRow<Int, NoPayload>

    /// The ways in which the keys of rows are distributed.
    enum Keys: CaseIterable {
        case equal, few, near, any, texts, missing
    }

    @Test("Rows are sorted as by comparisons", arguments: Keys.allCases)
    func sortingMatchesComparisons(keys: Keys) {
        RandomTestSettings(seeds: 30).forEachSeed { seed in
            var generator = SplitMix64(seed: seed)
            let count = Row.minimumForRadixSort + Int.random(in: -2...1_000, using: &generator)
            var rows = (0..<count).map { id in
                Row(key: Self.key(keys, &generator), id: id, payload: NoPayload())
            }
            rows.shuffle(using: &generator)
            let expected = rows.sorted(by: Row.areInOrder).map(\.id)
            Row.sort(&rows)
            guard rows.map(\.id) != expected else { return nil }
            return FailureReport(
                seed: seed,
                step: 0,
                operations: ["\(count) rows with \(keys) keys"],
                problem: "The rows aren't in order."
            )
        }
    }

    private static func key(_ keys: Keys, _ generator: inout SplitMix64) -> QuerySortKey {
        switch keys {
        case .equal: .none
        case .few: QuerySortKey(Int.random(in: -3...3, using: &generator))
        case .near: QuerySortKey(Int.random(in: -70_000...70_000, using: &generator))
        case .any: QuerySortKey(Int.random(in: .min ... .max, using: &generator))
        case .texts: QuerySortKey("\(Int.random(in: 0...500, using: &generator))")
        case .missing:
            QuerySortKey(generator.oneIn(3) ? nil : Int.random(in: 0...9, using: &generator))
        }
    }
}
