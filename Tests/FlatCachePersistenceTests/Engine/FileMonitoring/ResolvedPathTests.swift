import Foundation
import Testing

@testable import FlatCachePersistence
@testable import FlatCachePersistenceTestSupport

struct ResolvedPathTests {
    /// The entries of a file system in which all folders of the paths exist.
    private struct FakeFiles {
        var kinds: [String: FileEntry.Kind]

        init(_ kinds: [String: FileEntry.Kind]) {
            self.kinds = kinds
            self.kinds["/"] = .folder
        }

        func resolve(_ path: String) -> ResolvedPath {
            ResolvedPath(to: path) { path throws(FileEntry.Failure) in
                guard let kind = kinds[path] else { throw FileEntry.Failure(errorNumber: ENOENT) }
                let number = UInt64(path.utf8.reduce(0) { $0 &* 31 &+ Int($1) })
                return FileEntry(identity: FileIdentity(device: 1, number: number), kind: kind)
            }
        }

        /// Returns the steps of a path, each as a path and an interest.
        func steps(_ path: String) -> [String] {
            resolve(path).steps.map { step in
                switch step.interest {
                case .file(let name): "\(step.path) file(named: \"\(name.key)\")"
                case .link(let name): "\(step.path) link(named: \"\(name.key)\")"
                case .entry(let name): "\(step.path) entry(named: \"\(name.key)\")"
                case .itself, .contents: "\(step.path) \(step.interest)"
                }
            }
        }
    }

    @Test func fileAndEachFolderItselfAreWatched() {
        let files = FakeFiles(["/a": .folder, "/a/b": .folder, "/a/b/file": .other])
        let expected = [
            "/ itself", "/a itself", #"/a/b file(named: "file")"#, "/a/b/file contents",
        ]
        #expect(files.steps("/a/b/file") == expected)
        #expect(files.steps("/a/./b//file") == expected)
        #expect(files.resolve("/a/b/file").reachesFile)
        #expect(files.resolve("/a/b/file").obstacle == nil)
    }

    @Test func withoutTheFileTheNamesOfAllFoldersCount() {
        let files = FakeFiles(["/a": .folder, "/a/b": .folder])
        #expect(
            files.steps("/a/b/file") == [
                #"/ entry(named: "a")"#, #"/a entry(named: "b")"#, #"/a/b file(named: "file")"#,
            ]
        )
        #expect(!files.resolve("/a/b/file").reachesFile)
    }

    @Test func missingFolderIsWaitedForInTheLastOneThatIsThere() {
        let files = FakeFiles(["/a": .folder])
        #expect(files.steps("/a/b/c/file") == [#"/ entry(named: "a")"#, #"/a entry(named: "b")"#])
        #expect(files.resolve("/a/b/c/file").obstacle == nil)
    }

    @Test func fileInAFoldersPlaceIsAsGoodAsMissing() {
        let files = FakeFiles(["/a": .other])
        #expect(files.steps("/a/file") == [#"/ entry(named: "a")"#])
        #expect(files.resolve("/a/file").obstacle == nil)
    }

    @Test func linksAreFollowedAndWatched() {
        let files = FakeFiles([
            "/a": .folder, "/a/link": .link(target: "../b"), "/b": .folder,
            "/b/file": .link(target: "/c"), "/c": .other,
        ])
        #expect(
            files.steps("/a/link/file") == [
                "/ itself", #"/a link(named: "link")"#, "/a/link itself", "/ itself",
                #"/b file(named: "file")"#, "/b/file itself", #"/ file(named: "c")"#,
                "/c contents",
            ]
        )
    }

    @Test func parentOfALinksTargetIsItsOwn() {
        let files = FakeFiles([
            "/a": .folder, "/a/link": .link(target: "/x/y"), "/x": .folder, "/x/y": .folder,
            "/x/file": .other,
        ])
        #expect(files.steps("/a/link/../file").last == "/x/file contents")
    }

    @Test func pathMayEndInAFolder() {
        let files = FakeFiles(["/a": .folder, "/a/b": .folder])
        #expect(files.steps("/") == ["/ contents"])
        #expect(files.steps("/a/b/..").last == "/a contents")
        #expect(files.steps("/../a/").last == "/a contents")
    }

    @Test func linksInACircleAreAnObstacle() {
        let files = FakeFiles(["/a": .link(target: "b"), "/b": .link(target: "a")])
        #expect(files.resolve("/a").obstacle == ELOOP)
        #expect(!files.resolve("/a").reachesFile)
    }

    @Test func refusalOfTheSystemIsAnObstacle() {
        let resolved = ResolvedPath(to: "/a/file") { path throws(FileEntry.Failure) in
            guard path == "/" else { throw FileEntry.Failure(errorNumber: EACCES) }
            return FileEntry(identity: FileIdentity(device: 1, number: 1), kind: .folder)
        }
        #expect(resolved.obstacle == EACCES)
    }

    @Test func resolvingInTheRealFileSystem() throws {
        let folder = try MonitoredFolder()
        try folder.write("x", to: "file")
        let link = folder.file("link")
        try FileManager.default.createSymbolicLink(
            atPath: link.path(percentEncoded: false),
            withDestinationPath: "file"
        )
        let resolved = ResolvedPath(to: link.path(percentEncoded: false))
        let file = folder.file("file").path(percentEncoded: false)
        #expect(resolved.reachesFile)
        #expect(resolved.steps.last?.path == file)
        guard case .found(let metadata) = FileStatus(atPath: file) else {
            Issue.record("There is a file.")
            return
        }
        #expect(metadata.identity == resolved.steps.last?.identity)
        #expect(metadata.size == 1)
        #expect(FileStatus(atPath: file + "/none") == .missing)
    }
}
