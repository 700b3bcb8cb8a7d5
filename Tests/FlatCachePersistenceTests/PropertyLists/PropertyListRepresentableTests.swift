import FlatCache
import Foundation
import Testing

@testable import FlatCachePersistence

@Suite("PropertyListRepresentable")
struct PropertyListRepresentableTests {
    private func roundTrip<Value: PropertyListRepresentable & Equatable>(_ value: Value) throws {
        #expect(try Value(propertyListValue: value.propertyListValue) == value)
    }

    @Test("Values of each type round-trip")
    func roundTrips() throws {
        try roundTrip(true)
        try roundTrip(Int.min)
        try roundTrip(Int8.min)
        try roundTrip(Int16.max)
        try roundTrip(Int32.min)
        try roundTrip(Int64.max)
        try roundTrip(UInt.max)
        try roundTrip(UInt8.max)
        try roundTrip(UInt16.max)
        try roundTrip(UInt32.max)
        try roundTrip(UInt64.max)
        try roundTrip(Float(0.1))
        try roundTrip(0.1)
        try roundTrip(-Double.infinity)
        try roundTrip(CGFloat(2.5))
        try roundTrip("1")
        try roundTrip(Data([1, 2]))
        try roundTrip(Date(timeIntervalSinceReferenceDate: 0.25))
        try roundTrip(UUID())
        try roundTrip([[1, 2], []])
        try roundTrip(["a.b": ["c"]])
        #expect(try Double(propertyListValue: Double.nan.propertyListValue).isNaN)
    }

    @Test("Exactly representable numbers convert")
    func exactConversions() throws {
        #expect(try Int(propertyListValue: .double(1)) == 1)
        #expect(try Double(propertyListValue: .integer(3)) == 3)
        #expect(try UInt64(propertyListValue: .integer(3)) == 3)
        #expect(try Float(propertyListValue: .double(0.5)) == 0.5)
        // A handwritten number.
        #expect(try Float(propertyListValue: .double(0.1)) == 0.1)
        #expect(try Int(propertyListValue: .unsignedInteger(7)) == 7)
    }

    @Test("A number that is not exactly representable is an error")
    func inexactConversions() {
        expectOutOfRange { try Int(propertyListValue: .double(1.5)) }
        expectOutOfRange { try Int(propertyListValue: .double(.nan)) }
        expectOutOfRange { try Int(propertyListValue: .unsignedInteger(.max)) }
        expectOutOfRange { try Int8(propertyListValue: .integer(128)) }
        expectOutOfRange { try UInt(propertyListValue: .integer(-1)) }
        expectOutOfRange { try Float(propertyListValue: .double(0.123456789)) }
        expectOutOfRange { try Double(propertyListValue: .integer(.max)) }
    }

    private func expectOutOfRange(
        _ body: () throws -> some Any,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(sourceLocation: sourceLocation) { try body() } throws: {
            guard case .outOfRange? = ($0 as? PropertyListError)?.reason else { return false }
            return true
        }
    }

    @Test("Other kinds of values do not convert")
    func mismatches() {
        expectMismatch { try Int(propertyListValue: .string("1")) }
        expectMismatch { try Int(propertyListValue: .bool(true)) }
        expectMismatch { try Double(propertyListValue: .bool(true)) }
        expectMismatch { try Double(propertyListValue: .string("1")) }
        expectMismatch { try Bool(propertyListValue: .integer(1)) }
        expectMismatch { try Bool(propertyListValue: .double(1)) }
        expectMismatch { try Bool(propertyListValue: .string("true")) }
        expectMismatch { try String(propertyListValue: .integer(1)) }
        expectMismatch { try String(propertyListValue: .data(Data())) }
        expectMismatch { try Data(propertyListValue: .string("")) }
        expectMismatch { try Date(propertyListValue: .double(0)) }
        expectMismatch { try [Int](propertyListValue: .dictionary([:])) }
        expectMismatch { try [String: Int](propertyListValue: .array([])) }
        expectMismatch { try UUID(propertyListValue: .string("1")) }
        expectMismatch { try UUID(propertyListValue: .data(Data(count: 16))) }
        expectMismatch { try URL(propertyListValue: .string("not a path")) }
        expectMismatch { try URL(propertyListValue: .data(Data([1]))) }
        expectMismatch { try URL(propertyListValue: .integer(1)) }
    }

    private func expectMismatch(
        _ body: () throws -> some Any,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(sourceLocation: sourceLocation) { try body() } throws: {
            guard case .mismatch? = ($0 as? PropertyListError)?.reason else { return false }
            return true
        }
    }

    @Test("The error of a mismatch inside a container has a path")
    func mismatchPath() {
        let value = PropertyListValue.dictionary(["a": .array([.integer(1), .string("2")])])
        #expect { try [String: [Int]](propertyListValue: value) } throws: {
            ($0 as? PropertyListError)?.path == [.key("a"), .index(1)]
        }
    }

    @Test("A date that no reader can restore is an error")
    func unstorableDates() {
        for interval in [Double.nan, .infinity, 1e18] {
            #expect(throws: PropertyListError.self) {
                try Date(timeIntervalSinceReferenceDate: interval).propertyListValue
            }
        }
    }
}

@Suite("URL in UserDefaults")
struct URLPropertyListTests {
    private static let addresses = [
        "https://example.com/a%20b?c=d#e", "file:///tmp/x%20y", "file:///tmp/folder/",
        "mailto:someone@example.com", "file:///tmp/x?query", "relative/path",
    ]

    /// Runs a closure with temporary user defaults, and removes their value.
    private func withDefaults(_ body: (UserDefaults) throws -> Void) throws {
        let defaults = try #require(UserDefaults(suiteName: "FlatCache.\(UUID().uuidString)"))
        defer {
            defaults.removeObject(forKey: "url")
            defaults.synchronizeExclusively(timeout: hangLimit)
        }
        try body(defaults)
    }

    @Test("A URL round-trips, here and in plain UserDefaults", arguments: addresses)
    func roundTrip(address: String) throws {
        let url = try #require(URL(string: address))
        let value = try url.propertyListValue
        #expect(try URL(propertyListValue: value) == url)
        try withDefaults { defaults in
            defaults.set(value.propertyList, forKey: "url")
            #expect(defaults.url(forKey: "url")?.absoluteString == address)
        }
    }

    @Test("A relative URL keeps its absolute URL")
    func base() throws {
        let base = try #require(URL(string: "https://example.com/a/"))
        let url = try #require(URL(string: "b", relativeTo: base))
        let copy = try URL(propertyListValue: url.propertyListValue)
        #expect(copy.absoluteString == "https://example.com/a/b")
    }

    @Test("A URL has the same archive in every process")
    func sameArchive() throws {
        let url = try #require(URL(string: "https://example.org/a?b#c"))
        guard case .data(let archive) = try url.propertyListValue else {
            Issue.record("not an archive")
            return
        }
        // The order of the archiver's own keys depends on the hash seed of the process.
        let keys = ["$archiver", "$objects", "$top", "$version"].compactMap {
            archive.range(of: Data($0.utf8))?.lowerBound
        }
        #expect(keys.count == 4)
        #expect(keys == keys.sorted())
    }

    @Test("Storing an equal URL notifies no listener and writes nothing")
    func equalAddress() throws {
        let storage = InMemoryStorage<String, PropertyListValue>()
        let address = "https://example.org/a?b#c"
        let persister = Persister<URL?>(key: "url", storedBy: storage)
        try persister.persist(URL(string: address))
        let updates = Recorder<URL?>()
        let listening = persister.addUpdateListener { updates.append(try? $0.get().newValue) }
        for _ in 0..<100 { try persister.persist(URL(string: address)) }
        #expect(updates.all.isEmpty)
        listening.dispose()
    }

    @Test("A file URL that plain UserDefaults stored is read")
    func plain() throws {
        try withDefaults { defaults in
            defaults.set(URL(fileURLWithPath: "/tmp/some file"), forKey: "url")
            let object = try #require(defaults.object(forKey: "url"))
            let url = try URL(propertyListValue: PropertyListValue(propertyList: object))
            #expect(url.path == "/tmp/some file")
        }
    }

    @Test("A path in the home folder is read")
    func tilde() throws {
        let url = try URL(propertyListValue: .string("~/x"))
        #expect(url.path == ("~/x" as NSString).expandingTildeInPath)
        #expect(throws: PropertyListError.self) {
            try URL(propertyListValue: .string("~nobody-of-this-name/x"))
        }
    }

    private enum Season: String, PropertyListRepresentable, CaseIterable { case summer, winter }

    @Test func enumerationWithRawValuesHasADefaultImplementation() throws {
        #expect(try Season.winter.propertyListValue == .string("winter"))
        #expect(try [Season].init(propertyListValue: .array([.string("summer")])) == [.summer])
        #expect(throws: UnknownRawValueError.self) {
            try Season(propertyListValue: .string("spring"))
        }
        #expect(throws: PropertyListError.self) { try Season(propertyListValue: .integer(1)) }
    }
}
