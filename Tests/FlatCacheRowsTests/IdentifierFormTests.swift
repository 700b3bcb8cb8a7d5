import FlatCacheRows
import Foundation
import Testing

struct IdentifierFormTests {
    @Test func integersKeepTheirBits() {
        func check<Number: FixedWidthInteger & Codable & Sendable>(_ type: Number.Type) {
            guard case .integer(let encode, let decode, let isSigned) = IdentifierForm<Number>()
            else {
                Issue.record("\(type)")
                return
            }
            #expect(isSigned == Number.isSigned)
            for number in [Number.min, 0, 1, .max] {
                let stored = encode(number)
                #expect(stored == Int64(truncatingIfNeeded: number))
                #expect(decode(stored) == number)
            }
        }
        check(Int.self)
        check(Int64.self)
        check(Int32.self)
        check(Int16.self)
        check(Int8.self)
        check(UInt.self)
        check(UInt64.self)
        check(UInt32.self)
        check(UInt16.self)
        check(UInt8.self)
    }

    @Test(arguments: [-1, 256, Int64.min, .max])
    func numberOutsideTheTypeIsNoIdentifier(number: Int64) throws {
        guard case .integer(_, let decode, _) = IdentifierForm<UInt8>() else {
            Issue.record("UInt8 is an integer.")
            return
        }
        #expect(decode(number) == nil)
    }

    @Test func equalStringsHaveEqualBytes() {
        guard case .text(let encode, let decode) = IdentifierForm<String>() else {
            Issue.record("A string is text.")
            return
        }
        #expect(Array(encode("e\u{301}").utf8) == Array("\u{E9}".utf8))
        #expect(decode("a") == "a")
    }

    @Test func otherTypesHaveAnotherForm() {
        if case .other = IdentifierForm<UUID>() {} else { Issue.record("UUID") }
        if case .other = IdentifierForm<Int128>() {} else { Issue.record("Int128") }
    }
}
