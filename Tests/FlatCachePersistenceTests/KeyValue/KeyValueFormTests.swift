import Foundation
import Testing

@testable import FlatCachePersistence
@testable import FlatCachePersistenceTestSupport

private enum Theme: String, Codable, Sendable, Equatable { case light, dark }

private enum Shape: Codable, Sendable, Equatable {
    case circle(radius: Double)
    case nothing
}

private class Base: Codable, @unchecked Sendable {
    var name = "base"
}

private final class Derived: Base, @unchecked Sendable {
    var number = 7

    override init() { super.init() }

    private enum Keys: CodingKey { case number }

    required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        number = try container.decode(Int.self, forKey: .number)
        try super.init(from: container.superDecoder())
    }

    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(number, forKey: .number)
        try super.encode(to: container.superEncoder())
    }
}

private struct Everything: Codable, Sendable, Equatable {
    var flag = true
    var small: Int8 = -128
    var large = UInt64.max
    var fraction: Float = 0.1
    var infinite = -Double.infinity
    var text = "a \"quoted\"\n/text"
    var bytes = Data([0, 255])
    var date = Date(timeIntervalSinceReferenceDate: 123.456)
    var url = URL(string: "https://example.org/a?b=c")
    var none: Int?
    var list = [1, nil, 3] as [Int?]
    var table = [1: "one"]
    var shapes = [Shape.circle(radius: 2), .nothing]
    var theme = Theme.dark
    var identifier = UUID()
    var nested: [[String: [Int]]] = [["a": []], [:]]
    var empty = Nothing()

    struct Nothing: Codable, Sendable, Equatable {}
}

@Suite struct KeyValueFormTests {
    private func roundTrip<Value: Codable & Sendable & Equatable>(_ value: Value) throws {
        let list = try PropertyListValue(encoding: value)
        #expect(try list.decoded(as: Value.self) == value)
        let json = try Data(encoding: value)
        #expect(try json.decoded(as: Value.self) == value)
        // Equal values have equal forms, so that storing one over the other notifies no listener.
        #expect(try Data(encoding: value) == json)
    }

    @Test func valuesOfAllKindsComeBack() throws {
        try roundTrip(true)
        try roundTrip(Int.min)
        try roundTrip(UInt64.max)
        try roundTrip(Float(0.1))
        try roundTrip(Double.infinity)
        try roundTrip(-Double.infinity)
        try roundTrip(0.1 + 0.2)
        try roundTrip("$null")
        try roundTrip("")
        try roundTrip(Data())
        try roundTrip(Date(timeIntervalSinceReferenceDate: 1.0 / 3))
        try roundTrip(Theme.dark)
        try roundTrip(Shape.circle(radius: .infinity))
        try roundTrip([1, 2])
        try roundTrip(["a": [Theme.dark]])
        try roundTrip(Everything())
        try roundTrip([Everything()])
        try roundTrip([Int?.none, 1])
        try roundTrip(Int?.none)
        try roundTrip(Int?.some(5))
        try roundTrip([Int??.some(nil), .some(3)].map { $0 ?? nil })
        try roundTrip(Decimal(string: "3.14159265358979"))
        try roundTrip(CGFloat(2.5))
    }

    @Test func notANumberIsDecodedUnchanged() throws {
        #expect(try PropertyListValue(encoding: Double.nan).decoded(as: Double.self).isNaN)
        #expect(try Data(encoding: Double.nan).decoded(as: Double.self).isNaN)
        #expect(try Data(encoding: [Float.nan]).decoded(as: [Float].self)[0].isNaN)
    }

    @Test func classesThatEncodeTheirSuperclassComeBack() throws {
        let value = Derived()
        value.name = "changed"
        value.number = 9
        let list = try PropertyListValue(encoding: value).decoded(as: Derived.self)
        #expect(list.name == "changed" && list.number == 9)
    }

    @Test func primitivesAreNativeInPropertyLists() throws {
        #expect(try PropertyListValue(encoding: true) == .bool(true))
        #expect(try PropertyListValue(encoding: 5) == .integer(5))
        #expect(try PropertyListValue(encoding: "x") == .string("x"))
        #expect(try PropertyListValue(encoding: Data([1])) == .data(Data([1])))
        #expect(
            try PropertyListValue(encoding: ["a": [1]]) == .dictionary(["a": .array([.integer(1)])])
        )
        #expect(try PropertyListValue(encoding: Theme.dark) == .string("dark"))
        let file = URL(fileURLWithPath: "/tmp/a")
        #expect(try PropertyListValue(encoding: file) == file.propertyListValue)
    }

    @Test func otherValuesAreDictionariesThatCanBeEdited() throws {
        let value = Everything()
        guard case .dictionary(let fields) = try PropertyListValue(encoding: value) else {
            Issue.record("no dictionary")
            return
        }
        #expect(fields["theme"] == .string("dark"))
        #expect(fields["date"] == .date(value.date))
        #expect(fields["bytes"] == .data(value.bytes))
        #expect(fields["url"] == .dictionary(["relative": .string("https://example.org/a?b=c")]))
        #expect(fields["none"] == nil)
        #expect(fields["empty"] == .dictionary([:]))
        #expect(fields["list"] == .array([.integer(1), .string("$null"), .integer(3)]))
    }

    @Test func noTypeIsReadAsAnother() throws {
        func refuses<Stored: Codable & Sendable, Asked: Codable & Sendable>(
            _ stored: Stored,
            as type: Asked.Type
        ) {
            #expect(throws: (any Error).self, "\(stored) as \(type)") {
                try PropertyListValue(encoding: stored).decoded(as: type)
            }
            #expect(throws: (any Error).self, "\(stored) as \(type)") {
                try Data(encoding: stored).decoded(as: type)
            }
            #expect(throws: (any Error).self, "[\(stored)] as \(type)") {
                try PropertyListValue(encoding: [stored]).decoded(as: [Asked?].self)
            }
        }
        refuses("1", as: Int.self)
        refuses(1, as: String.self)
        refuses(true, as: Int.self)
        refuses(1, as: Bool.self)
        refuses("true", as: Bool.self)
        refuses(1.5, as: Int.self)
        refuses(300, as: UInt8.self)
        refuses(-1, as: UInt64.self)
        refuses("1.5", as: Double.self)
        refuses(1, as: [Int].self)
        refuses(["a": 1], as: [Int].self)
        refuses("purple", as: Theme.self)
    }

    @Test func textThatWouldBeReadAsNilIsRefused() throws {
        #expect(throws: PropertyListError.self) {
            try PropertyListValue(encoding: ["a", nil, "$null"] as [String?])
        }
    }

    @Test func errorContainsItsPlace() throws {
        struct Outer: Codable, Sendable { var inner: [Date] }
        let value = Outer(inner: [Date(), .init(timeIntervalSinceReferenceDate: .infinity)])
        let error = try #require(throws: PropertyListError.self) {
            try PropertyListValue(encoding: value)
        }
        #expect(error.path == [.key("inner"), .index(1)])
    }

    @Test func encodingTooDeepNestingThrows() throws {
        final class Deep: Codable, Sendable {
            let inside: Deep?
            init(_ inside: Deep?) { self.inside = inside }
        }
        var deep = Deep(nil)
        for _ in 0..<2000 { deep = Deep(deep) }
        #expect(throws: PropertyListError.self) { try PropertyListValue(encoding: deep) }
    }
}
