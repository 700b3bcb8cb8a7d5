import FlatCachePersistence
import Foundation
import Testing

@testable import FlatCache
@testable import FlatCachePersistenceTestSupport

struct FileStorageTests {
    private let folder: TemporaryFolder
    private let storage = FileStorage()

    init() throws {
        folder = try TemporaryFolder()
    }

    private func data(_ text: String) -> Data { Data(text.utf8) }

    @Test func fileIsWrittenReadAndRemoved() throws {
        let file = folder.file("a")
        #expect(try storage.retrieveValue(for: file) == nil)
        try storage.storeValue(data("one"), key: file)
        #expect(try Data(contentsOf: file) == data("one"))
        try storage.storeValue(Data(), key: file)
        #expect(try storage.retrieveValue(for: file) == Data())
        try storage.removeValue(for: file)
        #expect(try storage.retrieveValue(for: file) == nil)
        try storage.removeValue(for: file)
        #expect(try folder.contents == [])
    }

    @Test func largeFileIsReadWhole() throws {
        let file = folder.file("a")
        let large = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        try storage.storeValue(large, key: file)
        #expect(try storage.retrieveValue(for: file) == large)
    }

    @Test func foldersThatAreMissingAreCreated() throws {
        let file = folder.url.appending(path: "b/c/d/a")
        #expect(try storage.retrieveValue(for: file) == nil)
        try storage.storeValue(data("one"), key: file)
        #expect(try storage.retrieveValue(for: file) == data("one"))
        try FileManager.default.removeItem(at: folder.url.appending(path: "b"))
        #expect(try storage.retrieveValue(for: file) == nil)
        try storage.storeValue(data("two"), key: file)
        #expect(try storage.retrieveValue(for: file) == data("two"))
    }

    @Test func folderInPlaceOfTheFileIsAnErrorThatNamesIt() throws {
        let file = folder.file("a")
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        for operation in ["read", "write", "remove"] {
            let error = #expect(throws: PersistenceError.self) {
                switch operation {
                case "read": _ = try storage.retrieveValue(for: file)
                case "write": try storage.storeValue(data("one"), key: file)
                default: try storage.removeValue(for: file)
                }
            }
            #expect(error?.key == file.path)
            #expect((error?.underlying as? FileError)?.path == file.path)
        }
        #expect(try folder.contents == ["a"])
    }

    @Test func fileInPlaceOfAFolderIsAnError() throws {
        try storage.storeValue(data("one"), key: folder.file("a"))
        let file = folder.url.appending(path: "a/b")
        #expect(throws: PersistenceError.self) { try storage.retrieveValue(for: file) }
        #expect(throws: PersistenceError.self) { try storage.storeValue(data("two"), key: file) }
        #expect(try storage.retrieveValue(for: folder.file("a")) == data("one"))
    }

    @Test func urlThatLeadsToNoFileIsAnError() throws {
        let url = try #require(URL(string: "https://example.com/a"))
        #expect(throws: PersistenceError.self) { try storage.retrieveValue(for: url) }
        #expect(throws: PersistenceError.self) { try storage.storeValue(Data(), key: url) }
        #expect(throws: PersistenceError.self) { try storage.removeValue(for: url) }
        let persister = Persister<Data?>(key: url, storedBy: storage, onError: { _ in })
        #expect(throws: PersistenceError.self) { try persister.retrieveValueOrThrow() }
        #expect(throws: PersistenceError.self) { try persister.persist(Data()) }
        #expect(persister.retrieveValue() == nil)
    }

    @Test func errorNamesTheFileByItsPath() throws {
        let file = folder.file("a")
        try storage.storeValue(data("{"), key: file)
        let persister = Persister<Order?>(
            key: file,
            storedBy: storage,
            transformer: JSONTransformer<Order>()
        )
        let error = #expect(throws: PersistenceError.self) { try persister.retrieveValueOrThrow() }
        #expect(error?.key == file.path)
        #expect(error?.localizedDescription.contains(file.path) == true)
    }

    @Test func permissionsStayAndASymbolicLinkIsFollowed() throws {
        let (file, link) = (folder.file("a"), folder.file("link"))
        try storage.storeValue(data("one"), key: file)
        chmod(file.path, 0o640)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
        try storage.storeValue(data("two"), key: link)
        #expect(try storage.retrieveValue(for: file) == data("two"))
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == file.path)
        var status = stat()
        #expect(stat(file.path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o640)
    }

    @Test func linkThatLeadsNowhereYetIsWrittenThrough() throws {
        let (file, link) = (folder.file("a"), folder.file("link"))
        try FileManager.default.createSymbolicLink(
            atPath: link.path,
            withDestinationPath: "a"
        )
        #expect(try storage.retrieveValue(for: link) == nil)
        try storage.storeValue(data("one"), key: link)
        #expect(try Data(contentsOf: file) == data("one"))
    }

    @Test func persisterWritesToTheTargetThatItsLinkHasNow() throws {
        let (one, two, link) = (folder.file("one"), folder.file("two"), folder.file("link"))
        try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "one")
        let persister = Persister<Data?>(key: link, storedBy: storage)
        for text in ["1", "2", "3"] {
            try persister.persist(data(text))
            #expect(persister.retrieveValue() == data(text))
        }
        #expect(try Data(contentsOf: one) == data("3"))
        try storage.storeValue(data("other"), key: two)
        try FileManager.default.removeItem(at: link)
        try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "two")
        try persister.persist(data("4"))
        #expect(persister.retrieveValue() == data("4"))
        #expect(try Data(contentsOf: one) == data("3"))
        #expect(try Data(contentsOf: two) == data("4"))
        #expect(Persister<Data?>(key: link, storedBy: storage).retrieveValue() == data("4"))
    }

    @Test func linksThatLeadInACircleAreAnError() throws {
        let link = folder.file("link")
        try FileManager.default.createSymbolicLink(
            atPath: link.path,
            withDestinationPath: "link"
        )
        #expect(throws: PersistenceError.self) { try storage.retrieveValue(for: link) }
        #expect(throws: PersistenceError.self) { try storage.storeValue(Data(), key: link) }
    }

    @Test(arguments: FileDurability.allCases)
    func storagesOfOneFileReadEachOthersWritesByAnyPath(_ durability: FileDurability) async throws {
        let file = folder.file("a")
        let other = folder.url.appending(path: "b/../a")
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "b"),
            withIntermediateDirectories: false
        )
        let received = Recorder<Data?>()
        let listening = storage.addUpdateListener(forKey: file, updateListener: received.append)
        try FileStorage(durability: durability).storeValue(data("one"), key: other)
        try FileStorage(durability: durability).removeValue(for: other)
        // The thread that watches the file may make the calls.
        #expect(await until { received.count == 2 })
        #expect(received.all == [data("one"), nil])
        withExtendedLifetime(listening) {}
    }

    @Test func nameOfAnyKindIsAllowed() throws {
        for name in ["ä ö", String(repeating: "x", count: 255), String(repeating: "é", count: 127)]
        {
            let file = folder.file(name)
            try storage.storeValue(data(name), key: file)
            #expect(try storage.retrieveValue(for: file) == data(name))
        }
        #expect(try folder.contents.count == 3)
    }

    @Test func corruptFileIsCopiedBesideTheOriginal() throws {
        let file = folder.file("a.json")
        try storage.storeValue(data("{"), key: file)
        #expect(try storage.keepCorruptValue(for: folder.file("b")) == nil)
        for count in 1...3 {
            let copy = try #require(try storage.keepCorruptValue(for: file))
            #expect(copy.hasPrefix(file.path + ".corrupt-"))
            #expect(try Data(contentsOf: URL(fileURLWithPath: copy)) == data("{"))
            #expect(try folder.contents.count == count + 1)
        }
    }

    @Test func oldTemporaryFilesOfKilledProcessesAreRemoved() throws {
        let file = folder.file("a")
        let (old, young) = (".a.tmp-2000000000-1", ".a.tmp-2000000000-2")
        let foreign = ".b.tmp-2000000000-1"
        // A file of an earlier process with this process's number, as in a restarted container.
        let own = ".a.tmp-\(getpid())-1000000"
        let theirs = ".a.tmp-2000000000"
        for name in [old, young, foreign, own, theirs] {
            try Data().write(to: folder.file(name))
            guard name != young else { continue }
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -7200)],
                ofItemAtPath: folder.file(name).path
            )
        }
        try storage.storeValue(data("one"), key: file)
        #expect(try folder.contents == [young, foreign, theirs, "a"].sorted())
    }
}
