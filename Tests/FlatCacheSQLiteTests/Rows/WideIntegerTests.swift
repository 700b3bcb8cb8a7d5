import Testing

@testable import FlatCacheSQLite

/// Tests of integers of 128 bits.
struct WideIntegerTests {
    private struct Numbers: Codable, Equatable {
        var signed: Int128 = 0
        var unsigned: UInt128 = 0
        var optional: Int128?
        var array: [Int128] = []
        var optionals: [UInt128?] = []
    }

    /// Numbers that are encoded and decoded one by one.
    private struct List: Codable, Equatable {
        var signed: Int128
        var unsigned: UInt128

        init(_ signed: Int128, _ unsigned: UInt128) {
            self.signed = signed
            self.unsigned = unsigned
        }

        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            signed = try container.decode(Int128.self)
            unsigned = try container.decode(UInt128.self)
            #expect(container.isAtEnd)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            try container.encode(signed)
            try container.encode(unsigned)
        }
    }

    private func encoded(_ value: some Encodable) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try CompactRowCoder().encode(value, into: &bytes)
        return bytes
    }

    private func decoded<Value: Decodable>(_ type: Value.Type, _ bytes: [UInt8]) throws -> Value {
        try bytes.withUnsafeBytes { try CompactRowCoder().decode(type, from: $0) }
    }

    @Test(arguments: [Int128.min, -1, 0, 200, Int128(Int64.min), Int128(UInt64.max), .max])
    func numberRoundTrips(number: Int128) throws {
        let unsigned = UInt128(truncatingIfNeeded: number)
        #expect(try decoded(Int128.self, encoded(number)) == number)
        #expect(try decoded(UInt128.self, encoded(unsigned)) == unsigned)
        let list = List(number, unsigned)
        #expect(try decoded(List.self, encoded(list)) == list)
        let numbers = Numbers(
            signed: number,
            unsigned: unsigned,
            optional: number,
            array: [number, 1],
            optionals: [nil, unsigned]
        )
        #expect(try decoded(Numbers.self, encoded(numbers)) == numbers)
    }

    @Test func missingNumberIsNil() throws {
        #expect(try decoded(Numbers.self, encoded(Numbers())) == Numbers())
    }

    @Test func narrowIntegerCanBecomeAWideOne() throws {
        #expect(try decoded([Int128].self, encoded([-70_000])) == [-70_000])
        #expect(try decoded([Int].self, encoded([5 as UInt128])) == [5])
        #expect(try decoded(UInt128.self, encoded(UInt64.max)) == UInt128(UInt64.max))
    }

    @Test func otherValuesAreErrors() throws {
        for bytes in [try encoded("text"), try encoded(-1), try encoded(true), []] {
            #expect(throws: DecodingError.self) { _ = try decoded(UInt128.self, bytes) }
            #expect(throws: DecodingError.self) { _ = try decoded([UInt128].self, bytes) }
        }
        #expect(throws: DecodingError.self) { _ = try decoded(Int128.self, encoded(UInt128.max)) }
    }
}
