import Foundation
import Testing

@testable import FlatCachePersistence

@Suite("Property lists as bytes")
struct PropertyListDataTests {
    private static var sample: [String: Any] {
        [
            "text": "text", "é": "ü", "number": 7, "negative": -5, "large": UInt64.max,
            "real": 1.5, "true": true, "data": Data(0..<40),
            "date": Date(timeIntervalSinceReferenceDate: 1000),
            "array": [1, "x", [true], ["k": 2.5]] as [Any], "nested": ["p": ["q": [1, 2, 3]]],
        ]
    }

    private func bytes(
        _ object: Any,
        _ format: PropertyListSerialization.PropertyListFormat
    ) throws -> Data {
        try PropertyListSerialization.data(fromPropertyList: object, format: format, options: 0)
    }

    @Test func containersThatAreSharedCountWithTheirGreatestDepth() throws {
        // The top array refers to a chain of arrays, and to a second one that ends in the first
        // one.
        var objects: [[UInt8]] = [[0xA2, 1, 61]]
        for index: UInt8 in 2...60 { objects.append([0xA1, index]) }
        objects.append([0xA0])
        for index: UInt8 in 62...120 { objects.append([0xA1, index]) }
        objects.append([0xA1, 1])
        var bytes = Array("bplist00".utf8)
        var offsets: [UInt8] = []
        for object in objects {
            offsets += [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)]
            bytes += object
        }
        let table = UInt8(bytes.count & 0xFF)
        let page = UInt8(bytes.count >> 8)
        bytes += offsets
        bytes += [0, 0, 0, 0, 0, 0, 2, 1]
        bytes += [0, 0, 0, 0, 0, 0, 0, UInt8(objects.count)]
        bytes += [0, 0, 0, 0, 0, 0, 0, 0]
        bytes += [0, 0, 0, 0, 0, 0, page, table]
        let error = #expect(throws: PropertyListError.self) {
            try PropertyListValue(propertyListData: Data(bytes))
        }
        #expect(error?.reason == .tooDeep)
    }

    @Test("The binary format holds the same values as XML")
    func formatsAgree() throws {
        let xml = try PropertyListValue(propertyListData: bytes(Self.sample, .xml))
        let binary = try PropertyListValue(propertyListData: bytes(Self.sample, .binary))
        #expect(xml == binary)
    }

    @Test("Long containers and texts are read from the binary format")
    func longObjects() throws {
        let long: [String: Any] = [
            "array": Array(0..<1000), "text": String(repeating: "ä", count: 300),
            "ascii": String(repeating: "a", count: 70_000), "data": Data(count: 300),
        ]
        #expect(
            try PropertyListValue(propertyListData: bytes(long, .binary))
                == PropertyListValue(propertyList: long)
        )
    }

    @Test(
        "Data that is neither XML nor binary is an error",
        arguments: ["", " \n", "text", "a = b;", "{ a = b; }", "{\"a\": 1}", "<plist><dict>"]
    )
    func otherFormats(text: String) {
        #expect(throws: PropertyListError.self) {
            try PropertyListValue(propertyListData: Data(text.utf8))
        }
    }

    @Test("A reference of a keyed archive is an error")
    func references() throws {
        let archive = try NSKeyedArchiver.archivedData(
            withRootObject: "x" as NSString,
            requiringSecureCoding: true
        )
        #expect(throws: PropertyListError.self) { try PropertyListValue(propertyListData: archive) }
        #expect(throws: PropertyListError.self) {
            try PropertyListValue(
                propertyListData: Data(
                    "<plist><dict><key>CF$UID</key><integer>1</integer></dict></plist>".utf8
                )
            )
        }
    }

    @Test("Containers that share elements do not fill the memory")
    func sharedContainers() {
        // Each of 60 arrays holds the next one twice, so a tree would have 2⁶⁰ values.
        var data = Data("bplist00".utf8)
        var offsets: [UInt8] = []
        for index in UInt8(0)..<60 {
            offsets.append(UInt8(data.count))
            data.append(contentsOf: index < 59 ? [0xA2, index + 1, index + 1] : [0x09])
        }
        let table = UInt8(data.count)
        data.append(contentsOf: offsets)
        data.append(contentsOf: [0, 0, 0, 0, 0, 0, 1, 1])
        for number in [60, 0, table] as [UInt8] {
            data.append(contentsOf: [0, 0, 0, 0, 0, 0, 0, number])
        }
        #expect(throws: PropertyListError.self) { try PropertyListValue(propertyListData: data) }
    }

    @Test("A dictionary that holds a key twice is damaged")
    func duplicateKeys() {
        var data = Data("bplist00".utf8)
        // ["a": true, "a": false], of which readers return either value.
        data.append(contentsOf: [0xD2, 1, 1, 2, 3, 0x51, UInt8(ascii: "a"), 0x09, 0x08])
        data.append(contentsOf: [8, 13, 15, 16, 0, 0, 0, 0, 0, 0, 1, 1])
        for number in [4, 0, 17] as [UInt8] {
            data.append(contentsOf: [0, 0, 0, 0, 0, 0, 0, number])
        }
        #expect(throws: PropertyListError.self) { try PropertyListValue(propertyListData: data) }
    }

    @Test(
        "A value that a reader could not restore is not written",
        arguments: [
            .date(Date(timeIntervalSinceReferenceDate: .infinity)), .string("\u{FEFF}x"),
            .dictionary(["CF$UID": .integer(1)]), .date(Date(timeIntervalSinceReferenceDate: 0.5)),
        ] as [PropertyListValue]
    )
    func unstorableValues(value: PropertyListValue) {
        #expect(throws: PropertyListError.self) {
            try PropertyListValue.dictionary(["key": value]).propertyListData(format: .xml)
        }
    }

    @Test("A value without fractions of seconds round-trips through XML")
    func wholeSeconds() throws {
        let dates = [0.5, -0.5, 1e9 + 0.999].map {
            PropertyListValue.date(Date(timeIntervalSinceReferenceDate: $0))
        }
        let value = PropertyListValue.dictionary(["a": .array(dates)]).withWholeSeconds
        let data = try value.propertyListData(format: .xml)
        #expect(try PropertyListValue(propertyListData: data) == value)
    }

    @Test(
        "Damaged property lists are read or rejected, never fatal",
        arguments: RandomTestSettings(seeds: 8).seeds
    )
    func damaged(seed: Seed) throws {
        let archive = try NSKeyedArchiver.archivedData(
            withRootObject: URL(fileURLWithPath: "/x") as NSURL,
            requiringSecureCoding: true
        )
        let originals = [
            try bytes(Self.sample, .xml), try bytes(Self.sample, .binary), archive,
        ]
        var damage = SplitMix64(seed: seed)
        for _ in 0..<1500 {
            let data = damage.damaged(originals)
            do {
                let value = try PropertyListValue(propertyListData: data)
                #expect(try PropertyListValue(propertyList: value.propertyList) == value)
            } catch is PropertyListError {}
            do {
                _ = try URL(propertyListValue: .data(data))
            } catch is PropertyListError {}
        }
    }
}
