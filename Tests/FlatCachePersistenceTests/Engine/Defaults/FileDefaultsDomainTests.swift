#if os(Linux)
import FlatCache
import Foundation
import Testing

@testable import FlatCachePersistence
@testable import FlatCachePersistenceTestSupport

struct FileDefaultsDomainTests {
    let suite: TemporarySuite
    let domain: FileDefaultsDomain

    init() throws {
        suite = try TemporarySuite()
        domain = suite.makeDomain()
    }

    @Test func valueIsInTheFileAndInPlainDefaultsWhenTheCallReturns() throws {
        try domain.setValue(.integer(1), forKey: "a.b")
        #expect(try suite.file() == ["a.b": .integer(1)])
        #expect(suite.defaults.integer(forKey: "a.b") == 1)
        #expect(UserDefaults(suiteName: suite.name)?.integer(forKey: "a.b") == 1)
        try domain.setValue(.integer(2), forKey: "a.b")
        #expect(suite.defaults.integer(forKey: "a.b") == 2)
        #expect(try domain.value(forKey: "a.b") == .integer(2))
    }

    @Test func removingTheLastValueRemovesTheFile() throws {
        try domain.setValue(.bool(true), forKey: "key")
        #expect(suite.defaults.object(forKey: "key") != nil)
        try domain.setValue(nil, forKey: "key")
        #expect(suite.defaults.object(forKey: "key") == nil)
        #expect(try domain.value(forKey: "key") == nil)
        #expect(suite.entries == [])
    }

    @Test func removingAMissingValueCreatesNoFile() throws {
        try domain.setValue(nil, forKey: "key")
        #expect(suite.entries == [])
    }

    @Test func valueOfPlainCallsIsReadBeforeItIsSaved() throws {
        try domain.setValue(.integer(1), forKey: "key")
        try domain.setValue(.integer(1), forKey: "other")
        suite.defaults.set(2, forKey: "key")
        suite.defaults.set("new", forKey: "third")
        suite.defaults.removeObject(forKey: "other")
        #expect(try domain.value(forKey: "key") == .integer(2))
        #expect(try domain.value(forKey: "other") == nil)
        #expect(try domain.value(forKey: "third") == .string("new"))
        #expect(try domain.keys() == ["key", "third"])
    }

    @Test func removalByAnotherProcessRemovesASavedValueOfPlainCalls() throws {
        try domain.setValue(.integer(1), forKey: "key")
        let before = try suite.file()
        // Repeated, since saves of other tests make Foundation read the file again.
        for round in 1...30 {
            suite.defaults.set(round, forKey: "plain")
            suite.defaults.synchronizeExclusively(timeout: hangLimit)
            try suite.replaceFile(before) {
                #expect(suite.defaults.integer(forKey: "plain") == round)
            }
            #expect(try domain.value(forKey: "plain") == nil)
            #expect(try domain.keys() == ["key"])
        }
    }

    @Test func valueOfPlainCallsIsReadIfItCannotBeSaved() throws {
        try domain.setValue(.integer(1), forKey: "key")
        try domain.setValue(.integer(1), forKey: "other")
        // The place of the copy that exists while Foundation writes.
        try FileManager.default.createDirectory(
            atPath: "\(suite.folder)/.\(suite.name).plist.unsaved/folder",
            withIntermediateDirectories: true
        )
        suite.defaults.set(2, forKey: "key")
        suite.defaults.removeObject(forKey: "other")
        suite.defaults.set(3, forKey: "plain")
        #expect(try domain.value(forKey: "key") == .integer(2))
        #expect(try domain.keys() == ["key", "plain"])
        #expect(throws: (any Error).self) { try domain.setValue(.integer(4), forKey: "key") }
    }

    @Test func writeSavesEarlierValuesOfPlainCalls() throws {
        try domain.setValue(.integer(1), forKey: "ours")
        suite.defaults.set(1, forKey: "plain")
        suite.defaults.set(0, forKey: "ours")
        try domain.setValue(.integer(2), forKey: "ours")
        #expect(try suite.file() == ["ours": .integer(2), "plain": .integer(1)])
        #expect(suite.defaults.integer(forKey: "ours") == 2)
        suite.defaults.synchronizeExclusively(timeout: hangLimit)
        #expect(try suite.file() == ["ours": .integer(2), "plain": .integer(1)])
        #expect(suite.entries == [AtomicFile.name(of: suite.path)])
    }

    @Test func writeOfAnotherProcessIsReadAtOnce() throws {
        try domain.setValue(.integer(1), forKey: "key")
        #expect(suite.defaults.integer(forKey: "key") == 1)
        for number in Int64(2)..<200 {
            try suite.replaceFile(["key": .integer(number)])
            #expect(try domain.value(forKey: "key") == .integer(number))
            #expect(suite.defaults.integer(forKey: "key") == Int(number))
        }
    }

    @Test func fileThatWasJustWrittenIsNeverTakenForUnchanged() throws {
        try suite.replaceFile(["key": .integer(1)])
        // An hour ahead, so that the time of the write isn't long ago, however slow this test is.
        let hour = timeval(tv_sec: time(nil) + 3600, tv_usec: 0)
        var times = [hour, hour]
        #expect(utimes(suite.path, &times) == 0)
        let stamp = try DefaultsFile.stamp(of: suite.path)
        let data = FileManager.default.contents(atPath: suite.path)
        #expect(try !DefaultsFile(data, stamp: stamp).isCertain(stamp))
    }

    @Test func anotherProcessLosesNothingByAWrite() throws {
        try domain.setValue(.integer(1), forKey: "ours")
        #expect(suite.defaults.integer(forKey: "ours") == 1)
        try suite.replaceFile(["ours": .integer(1), "theirs": .integer(2)])
        try domain.setValue(.integer(3), forKey: "ours")
        #expect(try suite.file() == ["ours": .integer(3), "theirs": .integer(2)])
        #expect(suite.defaults.integer(forKey: "theirs") == 2)
    }

    @Test func writesOfAnotherProcessAndOfPlainCallsAreMerged() throws {
        try domain.setValue(.integer(1), forKey: "ours")
        // Under one lock: any test that saves defaults saves all suites, and a value that was saved
        // before the file is replaced would be lost with the old file.
        try suite.replaceFile(["ours": .integer(2), "theirs": .integer(3)]) {
            suite.defaults.set(5, forKey: "plain")
        }
        #expect(try domain.value(forKey: "plain") == .integer(5))
        #expect(try domain.value(forKey: "ours") == .integer(2))
        #expect(try domain.value(forKey: "theirs") == .integer(3))
    }

    @Test func staleCacheOfFoundationRevertsNoWriteOfAnotherProcess() throws {
        try suite.replaceFile(["key": .integer(1)])
        #expect(suite.defaults.integer(forKey: "key") == 1)
        try suite.replaceFile(["key": .integer(2)])
        try domain.setValue(.bool(true), forKey: "ours")
        #expect(try suite.file() == ["key": .integer(2), "ours": .bool(true)])
    }

    @Test func registeredDefaultsAreNoStoredValues() throws {
        suite.defaults.register(defaults: ["\(suite.name).registered": 1])
        UserDefaults.standard.register(defaults: ["\(suite.name).registered": 1])
        #expect(suite.defaults.integer(forKey: "\(suite.name).registered") == 1)
        #expect(try domain.value(forKey: "\(suite.name).registered") == nil)
        #expect(try domain.keys() == [])
    }

    @Test(arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
    func fileKeepsItsFormatAndItsPermissions(
        format: PropertyListSerialization.PropertyListFormat
    ) throws {
        try suite.replaceFile(["old": .integer(1)], format: format)
        chmod(suite.path, 0o640)
        try domain.setValue(.integer(2), forKey: "new")
        let data = try #require(FileManager.default.contents(atPath: suite.path))
        #expect(data.starts(with: BinaryPropertyList.signature) == (format == .binary))
        var status = stat()
        stat(suite.path, &status)
        #expect(status.st_mode & 0o777 == 0o640)
    }

    @Test func newFileIsForTheUserAloneAndXML() throws {
        try domain.setValue(.integer(2), forKey: "new")
        var status = stat()
        stat(suite.path, &status)
        #expect(status.st_mode & 0o777 == 0o600)
        let data = try #require(FileManager.default.contents(atPath: suite.path))
        #expect(data.starts(with: Data("<?xml".utf8)))
    }

    @Test func binaryFileThatXMLCannotHoldIsUnchanged() throws {
        // Two equivalent keys need XML, which can't hold a text that begins with this character.
        let values: [String: PropertyListValue] = [
            "\u{E9}": .integer(1), "text": .string("\u{FEFF}"),
        ]
        try suite.replaceFile(values, format: .binary)
        let data = FileManager.default.contents(atPath: suite.path)
        #expect(throws: PropertyListError.self) {
            try domain.setValue(.integer(2), forKey: "e\u{301}")
        }
        #expect(FileManager.default.contents(atPath: suite.path) == data)
    }

    @Test func datesHaveWholeSecondsBeforeAndAfterSaving() throws {
        let date = Date(timeIntervalSinceReferenceDate: 1000.75)
        let whole = PropertyListValue.date(Date(timeIntervalSinceReferenceDate: 1000))
        #expect(domain.stored(.date(date)) == whole)
        try domain.setValue(.date(date), forKey: "ours")
        #expect(try domain.value(forKey: "ours") == whole)
        suite.defaults.set(date, forKey: "plain")
        #expect(try domain.value(forKey: "plain") == whole)
    }
}
#endif
