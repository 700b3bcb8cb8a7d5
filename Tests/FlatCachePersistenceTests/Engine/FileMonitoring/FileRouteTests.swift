import Foundation
import Testing

@testable import FlatCachePersistence

struct FileRouteTests {
    /// The entries of a file system in which all folders of the paths exist.
    private struct FakeFiles {
        var kinds: [String: FileEntry.Kind]

        init(_ kinds: [String: FileEntry.Kind]) {
            self.kinds = kinds
            self.kinds["/"] = .folder
        }

        func route(_ path: String) -> FileRoute {
            FileRoute(to: path) { path throws(FileEntry.Failure) in
                guard let kind = kinds[path] else { throw FileEntry.Failure(errorNumber: ENOENT) }
                let number = UInt64(path.utf8.reduce(0) { $0 &* 31 &+ Int($1) })
                return FileEntry(identity: FileIdentity(device: 1, number: number), kind: kind)
            }
        }

        /// Returns the steps of a route, each as a path and an interest.
        func steps(_ path: String) -> [String] {
            route(path).steps.map { "\($0.path) \($0.interest)" }
        }
    }

    @Test func theFileAndEachFolderItselfAreWatched() {
        let files = FakeFiles(["/a": .folder, "/a/b": .folder, "/a/b/file": .other])
        let expected = [
            "/ waypoint", "/a waypoint", #"/a/b file(named: "file")"#, "/a/b/file contents",
        ]
        #expect(files.steps("/a/b/file") == expected)
        #expect(files.steps("/a/./b//file") == expected)
        #expect(files.route("/a/b/file").reachesFile)
        #expect(files.route("/a/b/file").obstacle == nil)
    }

    @Test func withoutTheFileTheNamesOfAllFoldersCount() {
        let files = FakeFiles(["/a": .folder, "/a/b": .folder])
        #expect(
            files.steps("/a/b/file") == [
                #"/ entry(named: "a")"#, #"/a entry(named: "b")"#, #"/a/b file(named: "file")"#,
            ]
        )
        #expect(!files.route("/a/b/file").reachesFile)
    }

    @Test func aMissingFolderIsWaitedForInTheLastOneThatIsThere() {
        let files = FakeFiles(["/a": .folder])
        #expect(files.steps("/a/b/c/file") == [#"/ entry(named: "a")"#, #"/a entry(named: "b")"#])
        #expect(files.route("/a/b/c/file").obstacle == nil)
    }

    @Test func aFileInAFoldersPlaceIsAsGoodAsMissing() {
        let files = FakeFiles(["/a": .other])
        #expect(files.steps("/a/file") == [#"/ entry(named: "a")"#])
        #expect(files.route("/a/file").obstacle == nil)
    }

    @Test func linksAreFollowedAndWatched() {
        let files = FakeFiles([
            "/a": .folder, "/a/link": .link(target: "../b"), "/b": .folder,
            "/b/file": .link(target: "/c"), "/c": .other,
        ])
        #expect(
            files.steps("/a/link/file") == [
                "/ waypoint", #"/a link(named: "link")"#, "/a/link waypoint", "/ waypoint",
                #"/b file(named: "file")"#, "/b/file waypoint", #"/ file(named: "c")"#,
                "/c contents",
            ]
        )
    }

    @Test func theParentOfALinksTargetIsItsOwn() {
        let files = FakeFiles([
            "/a": .folder, "/a/link": .link(target: "/x/y"), "/x": .folder, "/x/y": .folder,
            "/x/file": .other,
        ])
        #expect(files.steps("/a/link/../file").last == "/x/file contents")
    }

    @Test func aPathMayEndInAFolder() {
        let files = FakeFiles(["/a": .folder, "/a/b": .folder])
        #expect(files.steps("/") == ["/ contents"])
        #expect(files.steps("/a/b/..").last == "/a contents")
        #expect(files.steps("/../a/").last == "/a contents")
    }

    @Test func linksInACircleAreAnObstacle() {
        let files = FakeFiles(["/a": .link(target: "b"), "/b": .link(target: "a")])
        #expect(files.route("/a").obstacle == ELOOP)
        #expect(!files.route("/a").reachesFile)
    }

    @Test func refusalOfTheSystemIsAnObstacle() {
        let route = FileRoute(to: "/a/file") { path throws(FileEntry.Failure) in
            guard path == "/" else { throw FileEntry.Failure(errorNumber: EACCES) }
            return FileEntry(identity: FileIdentity(device: 1, number: 1), kind: .folder)
        }
        #expect(route.obstacle == EACCES)
    }

    @Test func routeOfTheRealFileSystem() throws {
        let folder = try MonitoredFolder()
        try folder.write("x", to: "file")
        let link = folder.file("link")
        try FileManager.default.createSymbolicLink(
            atPath: link.path(percentEncoded: false),
            withDestinationPath: "file"
        )
        let route = FileRoute(to: link.path(percentEncoded: false))
        let file = folder.file("file").path(percentEncoded: false)
        #expect(route.reachesFile)
        #expect(route.steps.last?.path == file)
        guard case .found(let marks) = FileLook(atPath: file) else {
            Issue.record("There is a file.")
            return
        }
        #expect(marks.identity == route.steps.last?.identity)
        #expect(marks.size == 1)
        #expect(FileLook(atPath: file + "/none") == .missing)
    }
}
