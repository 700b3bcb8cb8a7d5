#if os(Linux)
import FlatCache
import FlatCacheTesting
import Foundation
import Testing

@testable import FlatCachePersistence
@testable import FlatCachePersistenceTestSupport

extension FileDefaultsDomainTests {
    @Test(arguments: [" ", "<plist><dict>", "garbage", "<plist><string>x</string></plist>"])
    func damagedFileIsAnErrorAndStays(contents: String) throws {
        try domain.setValue(.integer(1), forKey: "key")
        try suite.replaceFile(Data(contents.utf8))
        // A time at which no write can be in progress any more.
        var times = [timeval(tv_sec: 1000, tv_usec: 0), timeval(tv_sec: 1000, tv_usec: 0)]
        utimes(suite.path, &times)
        for attempt in Int64(0)..<2 {
            #expect("attempt \(attempt)") { try domain.value(forKey: "key") } throws: {
                ($0 as? DefaultsFileError)?.path == suite.path
            }
            #expect(throws: DefaultsFileError.self) {
                try domain.setValue(.integer(attempt), forKey: "key")
            }
            #expect(throws: DefaultsFileError.self) { try domain.keys() }
        }
        #expect(FileManager.default.contents(atPath: suite.path) == Data(contents.utf8))
        try suite.replaceFile(["key": .integer(7)])
        #expect(try domain.value(forKey: "key") == .integer(7))
    }

    @Test func keysThatLookAlikeDoNotDropOneAnother() throws {
        let (composed, decomposed) = ("\u{e9}", "e\u{301}")
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0">
            <dict>
            \t<key>a</key>
            \t<integer>1</integer>
            \t<key>\(decomposed)</key>
            \t<integer>2</integer>
            \t<key>\(composed)</key>
            \t<integer>3</integer>
            </dict>
            </plist>
            """
        try suite.replaceFile(Data(text.utf8))
        try domain.setValue(.integer(4), forKey: "a")
        try domain.setValue(.integer(5), forKey: composed)
        try domain.setValue(.integer(6), forKey: "b")
        #expect(try domain.value(forKey: composed) == .integer(5))
        #expect(try domain.value(forKey: decomposed) == .integer(2))
        let data = try #require(FileManager.default.contents(atPath: suite.path))
        let file = String(decoding: data, as: UTF8.self)
        for (key, value) in [("a", 4), (decomposed, 2), (composed, 5), ("b", 6)] {
            let entry = Array("<key>\(key)</key>\n\t<integer>\(value)</integer>".utf8)
            #expect(file.utf8.contains(entry), "\(key): \(file)")
        }
    }

    @Test func folderInPlaceOfTheFileIsAnError() throws {
        try FileManager.default.createDirectory(
            atPath: suite.path,
            withIntermediateDirectories: true
        )
        #expect { try domain.setValue(.integer(1), forKey: "key") } throws: {
            ($0 as? FileError)?.path == suite.path
        }
        #expect(throws: FileError.self) { try domain.value(forKey: "key") }
    }

    @Test func folderThatCannotBeMadeIsAnError() throws {
        let location = DefaultsLocation(domain: suite.name, path: "/proc/none/x.plist")
        let domain = FileDefaultsDomain(
            FoundationDefaultsCache(location: location, defaults: suite.defaults)
        )
        #expect(throws: FileError.self) { try domain.setValue(.integer(1), forKey: "key") }
        #expect(try domain.value(forKey: "key") == nil)
        try domain.synchronize()
        suite.defaults.set(2, forKey: "plain")
        #expect(throws: FileError.self) { try domain.synchronize() }
        #expect(try domain.value(forKey: "plain") == .integer(2))
        #expect(try domain.value(forKey: "key") == nil)
        #expect(try domain.keys() == ["plain"])
    }

    @Test func valueThatCannotBeStoredChangesNothing() throws {
        try domain.setValue(.integer(1), forKey: "key")
        #expect {
            try domain.setValue(.dictionary(["CF$UID": .integer(1)]), forKey: "bad")
        } throws: {
            ($0 as? PropertyListError)?.path == [.key("bad")]
        }
        #expect(try suite.file() == ["key": .integer(1)])
        #expect(try domain.value(forKey: "bad") == nil)
    }

    @Test func copyLeftByAKilledProcessReplacesATornFile() throws {
        try domain.setValue(.integer(1), forKey: "key")
        let whole = try #require(FileManager.default.contents(atPath: suite.path))
        let copy = "\(suite.folder)/.\(suite.name).plist.unsaved"
        try whole.write(to: URL(fileURLWithPath: copy))
        try suite.replaceFile(whole.prefix(50))
        let target = "\(suite.folder)/\(suite.name).target"
        try FileManager.default.moveItem(atPath: suite.path, toPath: target)
        try FileManager.default.createSymbolicLink(
            atPath: suite.path,
            withDestinationPath: target
        )
        chmod(target, 0o640)
        let other = suite.makeDomain(clock: ManualClock())
        #expect(try other.value(forKey: "key") == .integer(1))
        #expect(FileManager.default.contents(atPath: target) == whole)
        var status = stat()
        #expect(stat(target, &status) == 0 && status.st_mode & 0o777 == 0o640)
        #expect(suite.entries == [AtomicFile.name(of: suite.path), AtomicFile.name(of: target)])
    }

    @Test func damagedCopyReplacesNoFile() throws {
        let copy = "\(suite.folder)/.\(suite.name).plist.unsaved"
        try suite.replaceFile(Data("<plist>".utf8))
        try Data("<plist>".utf8).write(to: URL(fileURLWithPath: copy))
        let domain = suite.makeDomain(clock: ManualClock())
        #expect(throws: DefaultsFileError.self) { try domain.value(forKey: "key") }
        #expect(FileManager.default.contents(atPath: suite.path) == Data("<plist>".utf8))
    }

    @Test func nextWriteRemovesAnUnneededCopy() throws {
        try domain.setValue(.integer(1), forKey: "key")
        let copy = "\(suite.folder)/.\(suite.name).plist.unsaved"
        try Data("<plist>".utf8).write(to: URL(fileURLWithPath: copy))
        try domain.setValue(.integer(2), forKey: "key")
        #expect(suite.entries == [AtomicFile.name(of: suite.path)])
    }

    @Test(arguments: RandomTestSettings(seeds: 4).seeds)
    func damagedFilesAreReadOrRefusedAndNeverFatal(seed: Seed) throws {
        let values = Dictionary(
            uniqueKeysWithValues: PropertyListValueTests.samples.enumerated().map {
                ("key\($0)", $1)
            }
        )
        let originals = try [PropertyListSerialization.PropertyListFormat.xml, .binary].map {
            try PropertyListValue.dictionary(values).propertyListData(format: $0)
        }
        var damage = SplitMix64(seed: seed)
        for _ in 0..<100 {
            let data = damage.damaged(originals)
            try suite.replaceFile(data)
            var times = [timeval(tv_sec: 1000, tv_usec: 0), timeval(tv_sec: 1000, tv_usec: 0)]
            utimes(suite.path, &times)
            do {
                _ = try domain.value(forKey: "key1")
                _ = try domain.keys()
                try domain.setValue(.bool(true), forKey: "new")
                #expect(try suite.file()["new"] == .bool(true))
            } catch is DefaultsFileError {
                #expect(FileManager.default.contents(atPath: suite.path) == data)
            }
        }
    }
}
#endif
