import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests of indexes with many keys for an entity, or with keys that don't equal themselves.
struct CacheIndexKeysTests {
    let cache = Cache()

    @Test("Queries of an index with any number of keys match a filter of all values")
    func manyKeys() {
        RandomTestSettings(seeds: 60).forEachSeed { seed in
            var generator = SplitMix64(seed: seed)
            let cache = Cache()
            let queries = (0..<24).map { tag in
                cache.query(Tagged.self).where(Tagged.byNumber, equals: tag)
            }
            let texts = cache.query(Tagged.self).where(Tagged.byText, in: ["3", "5"])
            let tokens = (queries + [texts]).map { $0.keepCurrent() }
            var operations: [String] = []
            for step in 0..<60 {
                // Few or many tags, some of them twice.
                let most = [3, 8, 10, 40][Int.random(in: 0..<4, using: &generator)]
                let count = Int.random(in: 0...most, using: &generator)
                let tags = (0..<count).map { _ in Int.random(in: 0..<24, using: &generator) }
                let value = Tagged(id: Int.random(in: 1...4, using: &generator), tags: tags)
                operations.append("\(value)")
                if generator.oneIn(8) {
                    cache.remove(Tagged.self, id: value.id)
                } else {
                    cache.set(value)
                }
                let values = cache.values(of: Tagged.self).sorted { $0.id < $1.id }
                let expected = (0..<24).map { tag in
                    values.filter { $0.tags.contains(tag) }.map(\.id)
                }
                let expectedTexts = values.filter { $0.tags.contains(3) || $0.tags.contains(5) }
                let rows = cache.core.existingIndex(Tagged.byNumber)?.rows
                rows?.checkInvariants()
                cache.core.checkInvariants()
                guard
                    queries.map(\.ids) != expected || texts.ids != expectedTexts.map(\.id)
                        || rows?.count != expected.reduce(0, { $0 + $1.count })
                else { continue }
                return FailureReport(
                    seed: seed,
                    step: step,
                    operations: operations,
                    problem: "The queries or the rows of the index differ from a filter."
                )
            }
            withExtendedLifetime(tokens) {}
            return nil
        }
    }

    @Test("The comparisons of an entity's keys aren't quadratic")
    func comparisons() {
        struct Document: CacheEntity {
            let id: Int
            let words: [CountedKey]
        }
        let counter = Locked(0)
        func words(_ numbers: Range<Int>) -> [CountedKey] {
            numbers.map { CountedKey(number: $0, counter: counter) }
        }
        let byWord = CacheIndex("word", each: \Document.words)
        let query = cache.query(Document.self).where(byWord, equals: words(7..<8)[0])
        let token = query.keepCurrent()
        let count = 1_000
        func expectFewComparisons(_ write: () -> Void) {
            counter.withLock { $0 = 0 }
            write()
            #expect(counter.withLock { $0 } < 200 * count)
        }
        expectFewComparisons { cache.set(Document(id: 1, words: words(0..<count))) }
        #expect(query.ids == [1])
        expectFewComparisons { cache.set(Document(id: 1, words: words(1..<count + 1))) }
        #expect(query.ids == [1])
        expectFewComparisons { cache.set(Document(id: 1, words: words(8..<count))) }
        #expect(query.ids == [])
        expectFewComparisons { cache.remove(Document.self, id: 1) }
        withExtendedLifetime(token) {}
    }

    @Test("A query of a key that doesn't equal itself finds nothing, and ends")
    func notANumber() {
        struct Reading: CacheEntity {
            let id: Int
            var level: Double?
        }
        let byLevel = CacheIndex("level", \Reading.level)
        weak var live: AnyObject?
        do {
            let none = cache.query(Reading.self).where(byLevel, equals: .nan)
            live = none.live
            let token = none.keepCurrent()
            let either = cache.query(Reading.self).where(byLevel, in: [.nan, 1])
            let eitherToken = either.keepCurrent()
            cache.set(contentsOf: [Reading(id: 1, level: .nan), Reading(id: 2, level: 1)])
            #expect(none.ids == [])
            #expect(either.ids == [2])
            eitherToken.dispose()
            token.dispose()
        }
        #expect(live == nil)
        cache.core.checkInvariants()
    }
}

/// An entity with any number of tags.
private struct Tagged: CacheEntity, Equatable {
    let id: Int
    let tags: [Int]

    static let byNumber = CacheIndex("number", each: \Tagged.tags)
    static let byText = CacheIndex(
        "text",
        each: { (value: Tagged) in
            value.tags.map { "\($0)" }
        }
    )
}

/// A key that counts its comparisons.
private struct CountedKey: Hashable, Comparable {
    let number: Int
    let counter: Locked<Int>

    static func == (left: CountedKey, right: CountedKey) -> Bool {
        left.counter.withLock { $0 += 1 }
        return left.number == right.number
    }

    static func < (left: CountedKey, right: CountedKey) -> Bool {
        left.counter.withLock { $0 += 1 }
        return left.number < right.number
    }

    func hash(into hasher: inout Hasher) { hasher.combine(number) }
}
