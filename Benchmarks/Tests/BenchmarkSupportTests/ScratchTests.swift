import FlatCachePersistence
import Foundation
import Testing

@testable import BenchmarkSupport

struct ScratchTests {
    @Test func folderIsDeletedWithItsObject() throws {
        var folder: ScratchFolder? = try ScratchFolder()
        let url = try #require(folder?.url)
        let file = try #require(folder?.file("a file"))
        try Data([1]).write(to: file)
        #expect(FileManager.default.fileExists(atPath: file.path))
        folder = nil
        #expect(!FileManager.default.fileExists(atPath: url.path))
    }

    @Test func domainIsRemovedWithItsObject() throws {
        var scratch: ScratchDefaults? = try ScratchDefaults()
        let suiteName = try #require(scratch?.suiteName)
        let storage = try #require(scratch.map { UserDefaultsStorage($0.defaults) })
        try storage.storeValue(.integer(1), key: "a key")
        #if !canImport(Darwin)
        let file = ScratchDefaults.file(of: suiteName)
        #expect(FileManager.default.fileExists(atPath: file.path))
        scratch = nil
        #expect(!FileManager.default.fileExists(atPath: file.path))
        #else
        scratch = nil
        let defaults = try #require(UserDefaults(suiteName: suiteName))
        #expect(defaults.object(forKey: "a key") == nil)
        #endif
    }

    @Test func announcedFileNeedNotExist() {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        Leftovers.add(url)
        Leftovers.remove(url)
        #expect(!FileManager.default.fileExists(atPath: url.path))
    }
}
