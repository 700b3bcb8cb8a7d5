import Foundation
import Testing

@testable import FlatCachePersistence

@Suite("PropertyListValue")
struct PropertyListValueTests {
    static let samples: [PropertyListValue] = [
        .bool(true), .bool(false), .integer(0), .integer(1), .integer(-1), .integer(200),
        .integer(.min), .integer(.max), .unsignedInteger(.max), .double(1), .double(0.1),
        .double(.nan), .double(.infinity), .double(-.greatestFiniteMagnitude),
        .string(""),
        .string("é<&>\u{0}\n😀"), .data(Data()), .data(Data([0, 255])),
        .date(Date(timeIntervalSinceReferenceDate: -5)), .array([]), .dictionary([:]),
        .array([.bool(true), .integer(1), .double(1), .array([.string("x")])]),
        .dictionary(["a.b": .bool(false), "": .dictionary(["c": .integer(2)])]),
    ]

    @Test("Values that are stored differently are not equal")
    func differs() {
        #expect(PropertyListValue.string("\u{e9}") != .string("e\u{301}"))
        let never = PropertyListValue.date(Date(timeIntervalSinceReferenceDate: .nan))
        #expect(never == never)
        #expect(Set([never, never]).count == 1)
    }

    @Test("A value survives its Foundation object", arguments: samples)
    func survivesFoundation(value: PropertyListValue) throws {
        #expect(try PropertyListValue(propertyList: value.propertyList) == value)
    }

    @Test("A value survives XML and binary files as the same kind", arguments: samples)
    func survivesFiles(value: PropertyListValue) throws {
        for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
            let data = try PropertyListSerialization.data(
                fromPropertyList: ["key": value.propertyList],
                format: format,
                options: 0
            )
            #expect(
                try PropertyListValue(propertyListData: data) == .dictionary(["key": value]),
                "format \(format.rawValue)"
            )
        }
    }

    @Test("A value survives UserDefaults as the same kind", arguments: samples)
    func survivesUserDefaults(value: PropertyListValue) throws {
        let defaults = try #require(UserDefaults(suiteName: "FlatCache.\(UUID().uuidString)"))
        defer {
            defaults.removeObject(forKey: "key")
            defaults.synchronizeExclusively(timeout: hangLimit)
        }
        defaults.set(value.propertyList, forKey: "key")
        let object = try #require(defaults.object(forKey: "key"))
        #expect(try PropertyListValue(propertyList: object) == value)
    }

    @Test("Booleans, integers and floating-point numbers are never equal to each other")
    func numbersDiffer() {
        let values: [PropertyListValue] = [.bool(true), .integer(1), .double(1), .string("1")]
        #expect(Set(values).count == values.count)
    }

    @Test("Equal values of different cases hash alike")
    func equalValuesHashAlike() {
        #expect(Set<PropertyListValue>([.integer(5), .unsignedInteger(5)]).count == 1)
        #expect(Set<PropertyListValue>([.double(.nan), .double(-.nan)]).count == 1)
        #expect(PropertyListValue.unsignedInteger(.max) != .integer(-1))
    }

    @Test("NSNumber keeps the kind of its number")
    func numbersKeepTheirKind() throws {
        #expect(try PropertyListValue(propertyList: NSNumber(value: true)) == .bool(true))
        #expect(try PropertyListValue(propertyList: NSNumber(value: Int8(1))) == .integer(1))
        #expect(try PropertyListValue(propertyList: NSNumber(value: UInt8(200))) == .integer(200))
        #expect(try PropertyListValue(propertyList: NSNumber(value: Float(1))) == .double(1))
        #expect(try PropertyListValue(propertyList: UInt64(3)) == .integer(3))
    }

    @Test("The error of an unsupported object has a path")
    func unsupportedObjects() {
        #expect {
            try PropertyListValue(propertyList: ["list": [1, NSNull()] as [Any]])
        } throws: {
            ($0 as? PropertyListError)?.path == [.key("list"), .index(1)]
        }
        #expect(throws: PropertyListError.self) {
            try PropertyListValue(propertyList: [1: "a"] as [AnyHashable: Any])
        }
        #expect(throws: PropertyListError.self) {
            try PropertyListValue(propertyList: Set(["a"]))
        }
    }

    @Test("An object that is nested too deeply is an error")
    func deepObjects() {
        var object: Any = []
        for _ in 0...PropertyListValue.maximumDepth { object = [object] }
        #expect { try PropertyListValue(propertyList: object) } throws: {
            ($0 as? PropertyListError)?.reason == .tooDeep
        }
    }

    @Test("An error's description states the reason and the location")
    func errorDescription() {
        let error = PropertyListError(
            .mismatch(expected: "a number", found: "a string"),
            path: [.key("a.b"), .index(2)]
        )
        #expect("\(error)" == #"Expected a number, but found a string, at ["a.b"][2]."#)
    }
}
