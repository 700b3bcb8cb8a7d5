import FlatCachePersistence
import Foundation
import Testing

@testable import FlatCache
@testable import FlatCachePersistenceTestSupport

/// These tests run in processes of their own.
struct AutoSaveTrapsTests {
    @Test func unsavedChangesAreSavedWhenTheProcessExits() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.json").path
        await #expect(processExitsWith: .success) { [path = path as String] in
            let object = PersistentObject<[Int]>(file: URL(fileURLWithPath: path))
            object.object = [1]
            withExtendedLifetime(object) { exit(EXIT_SUCCESS) }
        }
        #expect(try String(contentsOf: folder.file("a.json"), encoding: .utf8) == "[1]")
    }

    @Test func exitWritesNeitherUnchangedObjectsNorOverCorruptData() async throws {
        let folder = try TemporaryFolder()
        let (clean, corrupt) = (folder.file("clean"), folder.file("corrupt"))
        try Data("[1, 2]".utf8).write(to: clean)
        try Data("garbage".utf8).write(to: corrupt)
        let paths = [clean.path, corrupt.path]
        let result = await #expect(
            processExitsWith: .success,
            observing: [\.standardErrorContent]
        ) { [paths = paths as [String]] in
            let objects = paths.map { PersistentObject<[Int]>(file: URL(fileURLWithPath: $0)) }
            objects[1].object = [3]
            // As if another process writes.
            try Data("[ 4 ]".utf8).write(to: URL(fileURLWithPath: paths[0]))
            withExtendedLifetime(objects) { exit(EXIT_SUCCESS) }
        }
        #expect(try String(contentsOf: clean, encoding: .utf8) == "[ 4 ]")
        #expect(try String(contentsOf: corrupt, encoding: .utf8) == "garbage")
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains("could not be understood"))
    }

    @Test func exitDuringAnUpdateInAListenerSaves() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.json").path
        await #expect(processExitsWith: .success) { [path = path as String] in
            let object = PersistentObject<[Int]>(file: URL(fileURLWithPath: path))
            object.object = [1]
            let listening = object.observeChanges { _ in
                object.update { (_: inout [Int]?) -> Void in exit(EXIT_SUCCESS) }
            }
            object.object = [2]
            withExtendedLifetime(listening) {}
        }
        #expect(try String(contentsOf: folder.file("a.json"), encoding: .utf8) == "[2]")
    }

    /// This test runs in a process of its own, because it also saves the objects of other tests.
    @Test func saveUnsavedObjectsSavesOnlyChangedObjects() async {
        await #expect(processExitsWith: .success) {
            let (first, second) = (MemoryRepository(), MemoryRepository("[7]"))
            let objects = [first, second].map { PersistentObject<[Int]>(repository: $0.key) }
            objects[0].object = [1]
            AutoSave.saveUnsavedObjects()
            try #require(first.text == "[1]")
            try #require(second.saveCount == 0)
            withExtendedLifetime(objects) {}
        }
    }

    @Test func filenameRefersToTheObjectFolder() async throws {
        let folder = try TemporaryFolder()
        let path = folder.url.path
        await #expect(processExitsWith: .success) { [path = path as String] in
            setenv("XDG_DATA_HOME", path, 1)
            setenv("HOME", path, 1)
            let object = PersistentObject<[Int]>(filename: "a/draft.json")
            object.object = [1]
            try object.save()
            #if !canImport(Darwin)
            let folder = ProcessInfo.processInfo.processName
            let file = URL(fileURLWithPath: "\(path)/\(folder)/a/draft.json")
            try #require(try String(contentsOf: file, encoding: .utf8) == "[1]")
            #endif
        }
    }

    @Test(arguments: ["", "/etc/a", "../a", "a/../b", "a/"])
    func filenameOutsideTheObjectFolderTraps(name: String) async {
        await #expect(processExitsWith: .failure) { [name = name as String] in
            _ = FileRepository(filename: name)
        }
    }
}
