import Foundation
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

struct CompactRowCoderTests {
    private func encoded(_ value: some Encodable) throws -> [UInt8] {
        try CompactRowCoder().encode(value)
    }

    private func decoded<Value: Decodable>(_ type: Value.Type, _ bytes: [UInt8]) throws -> Value {
        try bytes.withUnsafeBytes { try CompactRowCoder().decode(type, from: $0) }
    }

    @Test(arguments: CodedSample.samples)
    func valueRoundTrips(value: CodedSample) throws {
        #expect(try decoded(CodedSample.self, encoded(value)) == value)
    }

    @Test func jsonRoundTrips() throws {
        let bytes = try JSONRowCoder().encode(["a": [1]])
        #expect(String(decoding: bytes, as: UTF8.self) == #"{"a":[1]}"#)
        let decoded = try bytes.withUnsafeBytes {
            try JSONRowCoder().decode([String: [Int]].self, from: $0)
        }
        #expect(decoded == ["a": [1]])
    }

    @Test func valueWithoutContainerRoundTrips() throws {
        #expect(try decoded(Int.self, encoded(-70_000)) == -70_000)
        #expect(try decoded([String].self, encoded(["a", ""])) == ["a", ""])
        #expect(try decoded(Int?.self, encoded(nil as Int?)) == nil)
        #expect(try decoded([Int??].self, encoded([.some(nil), 3] as [Int??])) == [nil, 3])
    }

    private struct Old: Codable {
        var name: String
        var removed: [Int]
        var count: Int
    }

    private struct New: Codable, Hashable {
        var count: Double
        var added: String?
        var name: String
    }

    @Test func propertiesCanBeAddedRemovedAndReordered() throws {
        let bytes = try encoded(Old(name: "n", removed: [1, 2], count: 3))
        #expect(try decoded(New.self, bytes) == New(count: 3, added: nil, name: "n"))
    }

    private class Base: Codable {
        var base = "base"
    }

    private final class Derived: Base {
        var number = 5

        private enum CodingKeys: CodingKey { case number, before, nested }

        override init() { super.init() }

        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            number = try container.decode(Int.self, forKey: .number)
            var list = try container.nestedUnkeyedContainer(forKey: .nested)
            #expect(try list.decode(String.self) == "first")
            let inner = try list.nestedContainer(keyedBy: CodingKeys.self)
            #expect(try inner.decode(Int.self, forKey: .number) == 7)
            #expect(list.isAtEnd)
            try super.init(from: container.superDecoder())
        }

        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            var list = container.nestedUnkeyedContainer(forKey: .nested)
            try container.encode(number, forKey: .number)
            // The nested container is written after the entry that follows it.
            try list.encode("first")
            var inner = list.nestedContainer(keyedBy: CodingKeys.self)
            try super.encode(to: container.superEncoder())
            try inner.encode(7, forKey: .number)
        }
    }

    @Test func nestedContainersCanBeWrittenInAnyOrder() throws {
        let value = Derived()
        value.base = String(repeating: "b", count: 400)
        value.number = 1_000
        let copy = try decoded([Derived].self, encoded([value, value]))
        #expect(copy.map(\.base) == [value.base, value.base])
        #expect(copy.map(\.number) == [1_000, 1_000])
    }

    private func error<Value: Decodable>(_ type: Value.Type, _ bytes: [UInt8]) -> DecodingError? {
        do {
            _ = try decoded(type, bytes)
            return nil
        } catch {
            return error as? DecodingError
        }
    }

    @Test func errorNamesThePath() throws {
        struct Wrong: Codable { var parts: [[String: Int]] }
        struct Right: Decodable { var parts: [[String: Bool]] }
        let bytes = try encoded(Wrong(parts: [[:], ["k": 1]]))
        guard case .typeMismatch(_, let context) = error(Right.self, bytes) else {
            Issue.record("No type mismatch")
            return
        }
        #expect(context.codingPath.map(\.stringValue) == ["parts", "Index 1", "k"])
    }

    @Test func missingKeysNullsAndNumbersOutOfRangeAreErrors() throws {
        struct Wide: Codable { var number: Int }
        struct Narrow: Decodable { var number: Int8 }
        struct Other: Decodable { var other: Int }
        guard case .dataCorrupted? = error(Narrow.self, try encoded(Wide(number: 300))),
            case .keyNotFound? = error(Other.self, try encoded(Wide(number: 300))),
            case .valueNotFound? = error([Int].self, try encoded([nil] as [Int?])),
            case .dataCorrupted? = error(Int.self, try encoded(1) + [0])
        else {
            Issue.record("Another error, or none")
            return
        }
    }

    private indirect enum Chain: Codable {
        case end
        case link(Chain)
    }

    @Test func deepNestingIsAnError() throws {
        var chain = Chain.end
        for _ in 0..<1_000 { chain = .link(chain) }
        #expect(throws: EncodingError.self) { _ = try encoded(chain) }
        struct Deep: Decodable {
            init(from decoder: any Decoder) throws {
                var container = try decoder.unkeyedContainer()
                while !container.isAtEnd { _ = try container.decode(Deep.self) }
            }
        }
        var bytes: [UInt8] = [RowTag.unkeyed, 0]
        for _ in 0..<400 {
            let size = UInt32(bytes.count)
            let sizeBytes = (0..<4).map { UInt8(truncatingIfNeeded: size >> ($0 * 8)) }
            bytes = [RowTag.unkeyed, RowTag.longSize] + sizeBytes + bytes
        }
        #expect(throws: DecodingError.self) { _ = try decoded(Deep.self, bytes) }
    }

    @Test func randomBytesAreAnErrorOrAValue() throws {
        let originals = try CodedSample.samples.map { Data(try encoded($0)) }
        for seed in RandomTestSettings(seeds: 20).seeds {
            var generator = SplitMix64(seed: seed)
            for _ in 0..<500 {
                let damaged = Array(generator.damaged(originals))
                // A trap would end the test.
                do {
                    _ = try decoded(CodedSample.self, damaged)
                } catch let error as DecodingError {
                    _ = error
                } catch {
                    Issue.record("\(seed): \(error)")
                }
            }
        }
    }

    /// A value that leaves out the parts that can't be encoded.
    private struct Lossy: Codable, Equatable {
        struct Part: Codable, Equatable {
            var before = 1
            var number: Double

            enum CodingKeys: CodingKey { case before, inner, number }

            init(_ number: Double) { self.number = number }

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                number = try container.decode(Double.self, forKey: .number)
            }

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(before, forKey: .before)
                var inner = container.nestedUnkeyedContainer(forKey: .inner)
                try inner.encode(2)
                guard number.isFinite else {
                    let context = EncodingError.Context(codingPath: [], debugDescription: "")
                    throw EncodingError.invalidValue(number, context)
                }
                try container.encode(number, forKey: .number)
            }
        }

        var parts: [Part]
        var single: Part?
        var name: String

        enum CodingKeys: CodingKey { case parts, single, name }

        init(_ parts: [Part], _ single: Part?, _ name: String) {
            self.parts = parts
            self.single = single
            self.name = name
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            parts = try container.decode([Part].self, forKey: .parts)
            single = try container.decodeIfPresent(Part.self, forKey: .single)
            name = try container.decode(String.self, forKey: .name)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            var list = container.nestedUnkeyedContainer(forKey: .parts)
            for part in parts { try? list.encode(part) }
            try? container.encodeIfPresent(single, forKey: .single)
            try container.encode(name, forKey: .name)
        }
    }

    @Test func partThatCannotBeEncodedLeavesNothing() throws {
        let value = Lossy([.init(1), .init(.nan), .init(3)], .init(.infinity), "name")
        let bytes = try encoded([value, value])
        let copy = Lossy([.init(1), .init(3)], nil, "name")
        #expect(try decoded([Lossy].self, bytes) == [copy, copy])
    }
}
