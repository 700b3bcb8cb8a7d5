#if os(Linux)
import Foundation
import TestSupport
import Testing

@testable import FlatCachePersistence

struct XMLEntriesTests {
    private static let keys = [
        "a", "b.c", "<d>", "&e;", "\u{e9}", "e\u{301}", "", " ", "CF$UID", "key]]>", "\"q\"",
        "z\nz",
    ]

    private func encoded(_ values: [String: PropertyListValue]) throws -> Data {
        try PropertyListValue.dictionary(values).propertyListData(format: .xml)
    }

    @Test(arguments: RandomTestSettings(seeds: 8).seeds)
    func manyEditsLeaveTheFileThatAnEncoderWouldWrite(seed: Seed) throws {
        var generator = SplitMix64(seed: seed)
        let samples = PropertyListValueTests.samples.map(\.withWholeSeconds)
        // Two keys of the same look are one key of a Swift dictionary.
        let keys = Self.keys.filter { $0 != "e\u{301}" }
        var values: [String: PropertyListValue] = [:]
        for number in 0..<6 { values["base\(number)"] = .integer(Int64(number)) }
        var data = try encoded(values)
        var edits = 0
        for _ in 0..<150 {
            guard let key = (keys + values.keys.sorted()).randomElement(using: &generator) else {
                return
            }
            let value =
                Bool.random(using: &generator) ? samples.randomElement(using: &generator) : nil
            let edited = try? XMLEntries.replace(
                value,
                forKey: key,
                in: data,
                count: values.count
            )
            guard let edited else { continue }
            edits += 1
            data = edited
            values[key] = value
            #expect(try PropertyListValue(propertyListData: data) == .dictionary(values))
        }
        #expect(edits > 20)
    }

    @Test func editLeavesAllOtherBytesAsTheyAre() throws {
        let values: [String: PropertyListValue] = [
            "a": .array([.dictionary(["x": .string("<key>b</key>")]), .array([])]),
            "b": .string("</dict>"), "c": .bool(true), "d": .string(""),
        ]
        for (key, new) in [
            ("b", PropertyListValue.integer(5)), ("bb", .string("x")), ("zz", .bool(false)),
        ] {
            var expected = values
            expected[key] = new
            let edited = try XMLEntries.replace(
                new,
                forKey: key,
                in: encoded(values),
                count: values.count
            )
            #expect(try edited == encoded(expected))
        }
        var expected = values
        for key in ["a", "d"] {
            let data = try encoded(expected)
            expected[key] = nil
            let edited = try XMLEntries.replace(
                nil,
                forKey: key,
                in: data,
                count: expected.count + 1
            )
            if expected.count > 1 { #expect(try edited == encoded(expected)) }
        }
    }

    @Test(arguments: [
        "<dict><!-- a --><key>a</key><true/></dict>",
        "<dict><key>a</key><string><![CDATA[<]]></string></dict>",
        "<dict><key>a</key><string x=\"y\">b</string></dict>",
        "<dict>text<key>a</key><true/></dict>", "<array><true/></array>", "<dict/>", "<dict><key>a",
        "<dict><key>a</key></dict>", "<dict><key>a</key><array><true/></dict>", "",
    ])
    func otherFormsAreLeftToTheEncoder(body: String) throws {
        let text =
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\">\(body)</plist>"
        let edited = try XMLEntries.replace(
            .bool(false),
            forKey: "b",
            in: Data(text.utf8),
            count: 1
        )
        #expect(edited == nil)
        let other = Data(
            "<?xml version=\"1.0\" encoding=\"UTF-16\"?><plist><dict></dict></plist>".utf8
        )
        #expect(XMLEntries(other) == nil)
    }

    @Test(arguments: ["a&quot;b", "a&#34;b", "a>b"])
    func keysInAnotherSpellingAreLeftToTheEncoder(name: String) throws {
        let text = try String(
            decoding: encoded(["name": .integer(1), "z": .integer(2)]),
            as: UTF8.self
        )
        let data = Data(text.replacingOccurrences(of: "<key>name<", with: "<key>\(name)<").utf8)
        #expect(try PropertyListValue(propertyListData: data) != .dictionary([:]))
        #expect(try XMLEntries.replace(.integer(3), forKey: "z", in: data, count: 2) == nil)
    }

    @Test func removalLeavesTheKeyThatLooksAlike() throws {
        let text = try String(
            decoding: encoded(["one": .integer(1), "two": .integer(2)]),
            as: UTF8.self
        )
        .replacingOccurrences(of: "<key>one<", with: "<key>\u{e9}<")
        .replacingOccurrences(of: "<key>two<", with: "<key>e\u{301}<")
        let edited = try XMLEntries.replace(nil, forKey: "\u{e9}", in: Data(text.utf8), count: 1)
        let data = try #require(edited)
        #expect(try XMLEntries.value(forKey: "e\u{301}", in: data) == .integer(2))
        #expect(try XMLEntries.value(forKey: "\u{e9}", in: data) == nil)
    }

    @Test(arguments: RandomTestSettings(seeds: 4).seeds)
    func damagedBytesAreNeverFatal(seed: Seed) throws {
        let original = try encoded([
            "a": .array([.bool(true)]), "b": .dictionary(["c": .string("d")]),
        ])
        var damage = SplitMix64(seed: seed)
        for _ in 0..<2000 { _ = XMLEntries(damage.damaged([original])) }
    }
}
#endif
