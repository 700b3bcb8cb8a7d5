import Foundation
import Testing

@testable import FlatCachePersistence

struct BinaryPropertyListWriterTests {
    private static let samples: [PropertyListValue] = [
        .bool(true), .bool(false), .integer(0), .integer(-1), .integer(255), .integer(256),
        .integer(70_000), .integer(.max), .integer(.min), .unsignedInteger(.max),
        .unsignedInteger(7),
        .double(-1.5), .double(.infinity), .string(""), .string("text"), .string("ä€😀"),
        .string(String(repeating: "a", count: 300)), .string("\u{FEFF}x"), .string("a\0b"),
        .data(Data()), .data(Data(0..<200)), .date(Date(timeIntervalSinceReferenceDate: 0.25)),
        .array([]), .array((0..<400).map { .integer($0) }), .dictionary([:]),
        .array(Array(repeating: .string("again"), count: 300)),
        .array([.string("e\u{301}"), .string("\u{E9}")]),
        .dictionary(["a": .array([.dictionary(["b": .string("a")])]), "é": .string("b")]),
        .dictionary(["CF$UID": .integer(3)]),
        .dictionary(Dictionary(uniqueKeysWithValues: (0..<300).map { ("k\($0)", .integer($0)) })),
    ]

    @Test(arguments: samples)
    func writtenValueRoundTrips(value: PropertyListValue) throws {
        let data = BinaryPropertyListWriter.write(value)
        #expect(try BinaryPropertyList.read(data) == value)
    }

    @Test(arguments: samples)
    func foundationReadsAWrittenValue(value: PropertyListValue) throws {
        let data = BinaryPropertyListWriter.write(value)
        let object = try PropertyListSerialization.propertyList(from: data, format: nil)
        #expect(try PropertyListValue(propertyList: object) == value)
    }

    @Test func equalDictionariesHaveEqualBytes() {
        let keys = (0..<50).map { "key \($0)" }
        let upwards = Dictionary(
            uniqueKeysWithValues: keys.map { ($0, PropertyListValue.bool(true)) }
        )
        var downwards: [String: PropertyListValue] = [:]
        downwards.reserveCapacity(1000)
        for key in keys.reversed() { downwards[key] = .bool(true) }
        #expect(Array(upwards.keys) != Array(downwards.keys))
        let data = BinaryPropertyListWriter.write(.dictionary(upwards))
        #expect(data == BinaryPropertyListWriter.write(.dictionary(downwards)))
    }

    @Test func archiveKeepsItsReferences() throws {
        let address = try #require(NSURL(string: "https://example.org/a?b#c"))
        let archive = try NSKeyedArchiver.archivedData(
            withRootObject: address,
            requiringSecureCoding: true
        )
        let canonical = BinaryPropertyListWriter.canonicalArchive(archive)
        #expect(
            try BinaryPropertyList.read(canonical, readsReferences: true)
                == BinaryPropertyList.read(archive, readsReferences: true)
        )
        #expect(BinaryPropertyListWriter.canonicalArchive(canonical) == canonical)
        let read = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSURL.self, from: canonical)
        #expect(read == address)
    }

    @Test func otherBytesAreReturnedUnchanged() {
        let bytes = Data("no archive".utf8)
        #expect(BinaryPropertyListWriter.canonicalArchive(bytes) == bytes)
    }
}
