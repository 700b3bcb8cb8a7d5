#if os(Linux)
import Foundation
import TestSupport
import Testing

@testable import FlatCachePersistence

/// Foundation reads the property lists that the module writes in XML.
struct XMLPropertyListTests {
    static let keys = [
        "a", "b.c", "<d>", "&e;", "\u{e9}", "e\u{301}", "", " ", "CF$UID", "key]]>", "\"q\"",
        "z\nz", "100%", "%41", "\u{e9}%20",
    ]

    @Test(arguments: PropertyListValueTests.samples.map(\.withWholeSeconds))
    func foundationReadsAndWritesTheSameValue(value: PropertyListValue) throws {
        let written = try XMLPropertyListWriter.write(.dictionary(["a": value]))
        let read = try PropertyListSerialization.propertyList(from: written, format: nil)
        #expect(try PropertyListValue(propertyList: read) == .dictionary(["a": value]))
    }

    @Test func formIsThatOfFoundation() throws {
        let value = PropertyListValue.dictionary([
            "a": .array([.dictionary(["x": .string("<key>&b</key>")]), .array([])]),
            "b": .integer(-5), "c": .bool(true), "d": .string(""), "e": .dictionary([:]),
            "f": .date(Date(timeIntervalSinceReferenceDate: -1e10)),
        ])
        let foundation = try PropertyListSerialization.data(
            fromPropertyList: value.propertyList,
            format: .xml,
            options: 0
        )
        let written = try XMLPropertyListWriter.write(value)
        #expect(
            String(decoding: written, as: UTF8.self) == String(decoding: foundation, as: UTF8.self)
        )
    }

    @Test func equivalentKeysAreReadWithTheirValues() throws {
        var entries: [ExactString: PropertyListValue] = [:]
        for (index, key) in Self.keys.enumerated() {
            entries[ExactString(key)] = .dictionary([key: .integer(Int64(index)), "z": .bool(true)])
        }
        let written = try XMLPropertyListWriter.write(entries: entries)
        #expect(try PropertyListValue.readXMLEntries(written) == entries)
    }

    @Test(arguments: [
        "<dict><!-- <key>\u{e9}</key> --><key>\u{e9}</key><true/></dict>",
        "<dict><key>\u{e9}</key><string><![CDATA[<key>\u{e9}</key>]]></string></dict>",
        "<dict><key>&#233;&#37;41</key><true/><key>\u{e8}</key><true/></dict>",
    ])
    func otherFormsAreReadByFoundation(body: String) throws {
        let text = #"<?xml version="1.0" encoding="UTF-8"?><plist version="1.0">\#(body)</plist>"#
        let data = Data(text.utf8)
        let entries = try PropertyListValue.readXMLEntries(data)
        var values: [String: PropertyListValue] = [:]
        for (key, value) in entries { values[key.key] = value }
        #expect(try PropertyListValue(propertyListData: data) == .dictionary(values))
    }

    @Test("Keys in another encoding are read as they are", arguments: ["UTF-16", "ISO-8859-1"])
    func otherEncodings(name: String) throws {
        let text = """
            <?xml version="1.0" encoding="\(name)"?>
            <plist version="1.0"><dict><key>50%\u{e9}</key><string>a</string></dict></plist>
            """
        let data = try #require(text.data(using: name == "UTF-16" ? .utf16 : .isoLatin1))
        let entries = try PropertyListValue.readXMLEntries(data)
        #expect(entries.map(\.key.key) == ["50%\u{e9}"])
    }

    @Test(arguments: [6.776_8e16, -6.776_8e16, .infinity, .nan])
    func datesOfFarYearsAreNeverFatal(seconds: Double) {
        _ = try? XMLPropertyListWriter.write(.date(Date(timeIntervalSince1970: seconds)))
    }

    @Test(arguments: RandomTestSettings(seeds: 4).seeds)
    func damagedBytesAreNeverFatal(seed: Seed) throws {
        let original = try XMLPropertyListWriter.write(
            .dictionary(["\u{e9}": .array([.bool(true)]), "b": .dictionary(["c": .string("d")])])
        )
        var damage = SplitMix64(seed: seed)
        for _ in 0..<500 { _ = try? PropertyListValue.readXMLEntries(damage.damaged([original])) }
    }
}
#endif
