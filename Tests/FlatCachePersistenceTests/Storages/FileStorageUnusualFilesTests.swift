import FlatCache
import Foundation
import Testing

@testable import FlatCachePersistence

struct FileStorageUnusualFilesTests {
    private let folder: TemporaryFolder
    private let storage = FileStorage()

    init() throws {
        folder = try TemporaryFolder()
    }

    private func data(_ text: String) -> Data { Data(text.utf8) }

    @Test func removingThroughALinkRemovesTheTargetAndKeepsTheLink() throws {
        let (file, link) = (folder.file("a"), folder.file("link"))
        try storage.storeValue(data("one"), key: file)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
        try storage.removeValue(for: link)
        #expect(try folder.contents == ["link"])
        try storage.storeValue(data("two"), key: link)
        #expect(try storage.retrieveValue(for: file) == data("two"))
    }

    @Test func pipeIsAnErrorAndNotWaitedFor() throws {
        let pipe = folder.file("pipe")
        #expect(mkfifo(pipe.path, 0o600) == 0)
        #expect(throws: PersistenceError.self) { try storage.retrieveValue(for: pipe) }
        #expect(throws: PersistenceError.self) { try storage.storeValue(data("one"), key: pipe) }
        var status = stat()
        #expect(stat(pipe.path, &status) == 0)
        #expect(status.st_mode & S_IFMT == S_IFIFO)
    }

    @Test func pathWithAZeroByteIsAnError() throws {
        // The system would read and write the file "a".
        let address = folder.file("a").absoluteString
        for text in ["\(address)%00b", "\(address)/missing/%00b"] {
            let file = try #require(URL(string: text))
            #expect(throws: PersistenceError.self) { try storage.retrieveValue(for: file) }
            #expect(throws: PersistenceError.self) { try storage.removeValue(for: file) }
            #expect(throws: PersistenceError.self) { try storage.keepCorruptValue(for: file) }
            let error = try #require(throws: PersistenceError.self) {
                try storage.storeValue(data("one"), key: file)
            }
            #expect("\(error)".contains("zero byte"))
            let errors = Recorder<PersistenceError.Operation>()
            let property = Persister<Data?>(
                key: file,
                storedBy: storage,
                onError: { errors.append($0.operation) }
            )
            let listening = property.addUpdateListener { _ in }
            #expect(property.retrieveValue() == nil)
            #expect(errors.all == [.read])
            listening.dispose()
        }
        #expect(try folder.contents == [])
    }

    @Test func fileThatMemoryCannotHoldIsAnError() throws {
        // A file of the maximum size without contents, which is sparse if the file system supports
        // it.
        let file = try FileDescriptor(folder.file("a").path, O_RDWR | O_CREAT, mode: 0o600)
        try file.write(data("one"))
        #expect(throws: FileError.self) {
            try FileDescriptor(folder.file("a").path, O_RDONLY).readToEnd(expected: .max)
        }
    }

    @Test func temporaryFileOfAnotherProcessWithTheSameNumberIsHarmless() throws {
        let file = folder.file("a")
        // A file that a process left behind when it was killed in a container, where process
        // numbers start again.
        for number in 1...300 {
            try Data().write(to: folder.file(".a.tmp-\(getpid())-\(number)"))
        }
        try storage.storeValue(data("one"), key: file)
        #expect(try storage.retrieveValue(for: file) == data("one"))
        #expect(try folder.contents.count == 301)
    }

    @Test(.enabled(if: getuid() == 0)) func fileKeepsItsOwner() throws {
        let file = folder.file("a")
        try storage.storeValue(data("one"), key: file)
        #expect(chown(file.path, 1234, 1235) == 0 && chmod(file.path, 0o640) == 0)
        try storage.storeValue(data("two"), key: file)
        var status = stat()
        #expect(stat(file.path, &status) == 0)
        #expect(status.st_uid == 1234 && status.st_gid == 1235)
        #expect(status.st_mode & 0o7777 == 0o640)
    }
}
