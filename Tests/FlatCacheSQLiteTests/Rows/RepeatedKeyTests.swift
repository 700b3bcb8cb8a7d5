import FlatCache
import Foundation
import Testing

@testable import FlatCacheSQLite

/// Tests of values that write a key again, whose last value counts.
struct RepeatedKeyTests {
    @Test func lastValueOfAKeyCounts() throws {
        let (row, json) = try decoded { encoder in
            var container = encoder.container(keyedBy: TreeKey.self)
            try container.encode([7, 8], forKey: .a)
            try container.encode(2, forKey: .b)
            try container.encode(3, forKey: .a)
        }
        #expect(row == .keyed(["a": .number(3), "b": .number(2)]))
        #expect(row == json)
    }

    @Test func lastValueOfAKeyCountsInASecondContainer() throws {
        enum OtherKey: String, CodingKey { case last = "b", first = "a" }
        let (row, json) = try decoded { encoder in
            var container = encoder.container(keyedBy: TreeKey.self)
            try container.encode(1, forKey: .a)
            try container.encode(2, forKey: .b)
            var other = encoder.container(keyedBy: OtherKey.self)
            try other.encode(3, forKey: .last)
        }
        #expect(row == .keyed(["a": .number(1), "b": .number(3)]))
        #expect(row == json)
    }

    @Test func lastValueOfADynamicKeyCountsInASecondContainer() throws {
        struct Name: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }

            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { return nil }
        }
        let (row, json) = try decoded { encoder in
            for number in 1...2 {
                var container = encoder.container(keyedBy: Name.self)
                try container.encode(number, forKey: Name(stringValue: "a"))
            }
        }
        #expect(row == .keyed(["a": .number(2)]))
        #expect(row == json)
    }

    @Test func nestedContainersOfAKeyAreOne() throws {
        let (row, json) = try decoded { encoder in
            var container = encoder.container(keyedBy: TreeKey.self)
            var first = container.nestedContainer(keyedBy: TreeKey.self, forKey: .a)
            try first.encode(1, forKey: .a)
            var list = container.nestedUnkeyedContainer(forKey: .b)
            try list.encode(4)
            var second = container.nestedContainer(keyedBy: TreeKey.self, forKey: .a)
            try second.encode(2, forKey: .b)
            try first.encode(3, forKey: .a)
            var rest = container.nestedUnkeyedContainer(forKey: .b)
            try rest.encode(5)
        }
        let nested = Tree.keyed(["a": .number(3), "b": .number(2)])
        #expect(row == .keyed(["a": nested, "b": .list([.number(4), .number(5)])]))
        #expect(row == json)
    }

    @Test func nestedContainerReplacesAValueOfItsKey() throws {
        let row = try decodedRow { encoder in
            var container = encoder.container(keyedBy: TreeKey.self)
            try container.encode(1, forKey: .a)
            var nested = container.nestedContainer(keyedBy: TreeKey.self, forKey: .a)
            try container.encode(Written.nine, forKey: .b)
            try nested.encode(2, forKey: .b)
        }
        #expect(row == .keyed(["a": .keyed(["b": .number(2)]), "b": .number(9)]))
    }

    @Test func lastSuperEncoderCounts() throws {
        let row = try decodedRow { encoder in
            var container = encoder.container(keyedBy: TreeKey.self)
            for number in 1...2 {
                var single = container.superEncoder().singleValueContainer()
                try single.encode(number)
                single = container.superEncoder(forKey: .a).singleValueContainer()
                try single.encode(number + 2)
            }
        }
        #expect(row == .keyed(["super": .number(2), "a": .number(4)]))
    }

    @Test func keysOfNestedValuesAreTheirOwn() throws {
        let (row, json) = try decoded { encoder in
            var container = encoder.container(keyedBy: TreeKey.self)
            try container.encode(1, forKey: .a)
            try container.encode(
                Written { encoder in
                    var inner = encoder.container(keyedBy: TreeKey.self)
                    try inner.encode(2, forKey: .b)
                },
                forKey: .b
            )
            try container.encode(3, forKey: .b)
        }
        #expect(row == .keyed(["a": .number(1), "b": .number(3)]))
        #expect(row == json)
    }

    @Test func keyThatFailedIsWrittenOnce() throws {
        struct Failure: Error {}
        let failing = Written { _ in throw Failure() }
        for _ in 0..<2 {
            let row = try decodedRow { encoder in
                var container = encoder.container(keyedBy: TreeKey.self)
                try? container.encode(failing, forKey: .a)
                try container.encode(1, forKey: .a)
            }
            #expect(row == .keyed(["a": .number(1)]))
        }
        let row = try decodedRow { encoder in
            var container = encoder.container(keyedBy: TreeKey.self)
            try container.encode(2, forKey: .a)
            try container.encode(3, forKey: .a)
        }
        #expect(row == .keyed(["a": .number(3)]))
    }

    @Test func keysOfSimilarNamesAreDifferent() throws {
        enum Time: String, CodingKey {
            case start = "startTime", shift = "shiftTime", long = "startOfTheShift", none = ""
        }
        for keys in [[Time.start, .shift], [.start, .start], [.long, .none], [.none, .none]] {
            let (row, json) = try decoded { encoder in
                var container = encoder.container(keyedBy: Time.self)
                for (number, key) in keys.enumerated() { try container.encode(number, forKey: key) }
            }
            #expect(row == json)
        }
    }

    @Test func randomValuesAreEncodedAsInJSON() throws {
        let settings = RandomTestSettings(seeds: 300, steps: 12)
        for seed in settings.seeds {
            let (row, json) = try decoded { encoder in
                let generator = Locked(SplitMix64(seed: seed))
                try write(settings.steps, to: encoder, generator)
            }
            guard row != json else { continue }
            FailureReport(seed: seed, step: nil, problem: "\(row) instead of \(json)").record()
            return
        }
    }

    /// Writes random values for a few keys: numbers for `a` to `c`, containers for the others.
    private func write(
        _ count: Int,
        to encoder: any Encoder,
        _ generator: Locked<SplitMix64>
    ) throws {
        enum RandomKey: CaseIterable, CodingKey { case a, b, c, keyed, unkeyed, value }
        let next = { (bound: Int) in generator.withLock { $0.below(bound) } }
        var container = encoder.container(keyedBy: RandomKey.self)
        var nested: KeyedEncodingContainer<RandomKey>?
        for step in 0..<next(count + 1) {
            if next(4) == 0 { container = encoder.container(keyedBy: RandomKey.self) }
            let key = RandomKey.allCases[next(6)]
            switch key {
            case .keyed:
                nested = container.nestedContainer(keyedBy: RandomKey.self, forKey: key)
            case .unkeyed:
                var list = container.nestedUnkeyedContainer(forKey: key)
                try list.encode(step)
            case .value:
                let inner = Written { try write(count / 2, to: $0, generator) }
                try container.encode(inner, forKey: key)
            default: try container.encode(step, forKey: key)
            }
            if next(2) == 0 { try nested?.encode(step, forKey: RandomKey.allCases[next(3)]) }
        }
    }
}
