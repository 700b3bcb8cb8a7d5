import TestSupport
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct QuerySortKeyTests {
    @Test("A key that doesn't equal itself comes last in both directions, whatever its type")
    func notANumber() {
        for isDescending in [false, true] {
            let numbers: [Double?] = [1, .nan, nil, 2, .nan]
            let keys = numbers.map { number in
                QuerySortKey(number.map(Level.init), isDescending ? .descending : .ascending)
            }
            let expected = isDescending ? [3, 0, 1, 4, 2] : [0, 3, 1, 4, 2]
            let places = [expected[0...0], expected[1...1], expected[2...3], expected[4...4]]
            for (place, indices) in places.enumerated() {
                for (otherPlace, otherIndices) in places.enumerated() {
                    for index in indices {
                        for other in otherIndices {
                            let order = QuerySortKey.compare(keys[index], keys[other]).signum()
                            #expect(order == (place - otherPlace).signum())
                        }
                    }
                }
            }
        }
        let nan = QuerySortKey(indexing: Level(number: .nan))
        #expect(QuerySortKey.compare(nan, QuerySortKey(indexing: Level(number: .nan))) == 0)
        #expect(QuerySortKey.compare(nan, QuerySortKey(indexing: Level(number: 1))) > 0)
    }

    @Test("An index key that isn't comparable and doesn't equal itself has one place")
    func notANumberInIndex() {
        struct Key: Hashable { let number: Double }
        let keys = [Double.nan, .nan, 1].map { QuerySortKey(indexing: Key(number: $0)) }
        #expect(QuerySortKey.compare(keys[0], keys[1]) == 0)
        #expect(QuerySortKey.compare(keys[0], keys[2]) > 0)
    }

    @Test("A result whose keys don't equal themselves contains no removed rows")
    func rowsOfNotANumber() {
        struct Item: CacheEntity {
            let id: Int
            let level: Level?

            /// The place of the level: NaN follows numbers, and a missing level follows NaN.
            var rank: Double {
                guard let level else { return .infinity }
                return level.number.isNaN ? 100 : level.number
            }
        }
        RandomTestSettings(seeds: 20).forEachSeed { seed in
            var generator = SplitMix64(seed: seed)
            let cache = Cache()
            let query = cache.query(Item.self).sorted(by: \.level)
            let byLevel = CacheIndex("level", \Item.level)
            let range = cache.query(Item.self).where(byLevel, in: Level(number: 0)...)
            let tokens = [query.keepCurrent(), range.keepCurrent()]
            var operations: [String] = []
            for step in 0..<80 {
                let id = Int.random(in: 0..<30, using: &generator)
                let number = Double(Int.random(in: -3...3, using: &generator))
                let level: Level? =
                    generator.oneIn(8)
                    ? nil : Level(number: generator.oneIn(2) ? .nan : number)
                operations.append("\(id): \(level?.number ?? 0)")
                if generator.oneIn(3) {
                    cache.remove(Item.self, id: id)
                } else {
                    cache.set(Item(id: id, level: level))
                }
                let values = cache.values(of: Item.self)
                let expected = values.sorted { left, right in
                    (left.rank, left.id) < (right.rank, right.id)
                }
                let inRange = values.filter { $0.level?.number ?? -1 >= 0 }.map(\.id).sorted()
                guard query.ids != expected.map(\.id) || range.ids != inRange else { continue }
                return FailureReport(
                    seed: seed,
                    step: step,
                    operations: operations,
                    problem: """
                        The rows are \(query.ids), not \(expected.map(\.id)); those in the range \
                        are \(range.ids), not \(inRange).
                        """
                )
            }
            withExtendedLifetime(tokens) {}
            return nil
        }
    }
}

/// A number of a type that isn't `FloatingPoint`.
private struct Level: Hashable, Comparable {
    let number: Double

    static func < (left: Level, right: Level) -> Bool { left.number < right.number }
}
