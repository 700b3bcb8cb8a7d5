import Foundation
import Testing

@testable import FlatCache
@testable import FlatCachePersistence
@testable import FlatCachePersistenceTestSupport

/// A persister follows links that are pointed elsewhere while it exists.
struct FollowedLinksTests {
    private let folder: TemporaryFolder
    private let received = Recorder<String>()

    init() throws { folder = try TemporaryFolder() }

    private func write(_ text: String, _ path: String) throws {
        let url = folder.url.appending(path: path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try Data(text.utf8).write(to: url, options: .atomic)
    }

    /// Points a link elsewhere in one step, as Kubernetes does.
    private func point(_ link: String, to target: String) throws {
        let path = folder.url.path
        symlink(target, "\(path)/.new")
        #expect(rename("\(path)/.new", "\(path)/\(link)") == 0)
    }

    private func persister(_ path: String) -> Persister<Data?> {
        Persister(file: folder.url.appending(path: path))
    }

    private func text(_ persister: Persister<Data?>) -> String? {
        persister.retrieveValue().map { String(decoding: $0, as: UTF8.self) }
    }

    private func listen(to persister: Persister<Data?>) -> Disposable {
        persister.addUpdateListener { [received] result in
            let data = (try? result.get().newValue) ?? Data("nothing".utf8)
            received.append(String(decoding: data, as: UTF8.self))
        }
    }

    @Test(arguments: [false, true])
    func mountedFolderIsFollowed(isListening: Bool) async throws {
        try write("1", "..2024/settings")
        try point("..data", to: "..2024")
        try point("settings", to: "..data/settings")
        let value = persister("settings")
        let listening = isListening ? listen(to: value) : nil
        #expect(text(value) == "1")
        for version in ["2", "3"] {
            let old = try FileManager.default
                .destinationOfSymbolicLink(atPath: folder.file("..data").path)
            try write(version, "..202\(version)x/settings")
            try point("..data", to: "..202\(version)x")
            try FileManager.default.removeItem(at: folder.url.appending(path: old))
            #expect(await pollUntil("The file system reports the link.") { text(value) == version })
        }
        try value.persist(Data("4".utf8))
        #expect(text(value) == "4")
        let file = folder.url.appending(path: "..2023x/settings")
        #expect(try Data(contentsOf: file) == Data("4".utf8))
        if isListening {
            #expect(await until { received.all.last == "4" })
            #expect(received.all.filter { $0 != "nothing" } == ["2", "3", "4"])
        }
        // The new target is watched.
        try write("5", "..2023x/settings")
        #expect(await pollUntil("The file system reports the write.") { text(value) == "5" })
        withExtendedLifetime(listening) {}
    }

    @Test func listenerOfTheStorageFollows() async throws {
        try write("1", "one")
        try write("2", "two")
        try point("link", to: "one")
        let listening = FileStorage().addUpdateListener(forKey: folder.file("link")) {
            [received] data in
            received.append(data.map { String(decoding: $0, as: UTF8.self) } ?? "nothing")
        }
        try point("link", to: "two")
        #expect(await until { received.all == ["2"] })
        listening.dispose()
    }

    @Test func linkThatLeadsNowhereIsFollowedWhenItDoes() async throws {
        try point("link", to: "one")
        let value = persister("link")
        #expect(text(value) == nil)
        try write("2", "two")
        try point("link", to: "two")
        #expect(await pollUntil("The file system reports the link.") { text(value) == "2" })
        unlink(folder.file("link").path)
        #expect(await pollUntil("The file system reports the removal.") { text(value) == nil })
        try write("3", "link")
        #expect(await pollUntil("The file system reports the file.") { text(value) == "3" })
        try value.persist(Data("4".utf8))
        #expect(try Data(contentsOf: folder.file("two")) == Data("2".utf8))
    }

    @Test func persistersOfALinkAgreeAfterItIsPointedElsewhere() async throws {
        try write("1", "one")
        try write("2", "two")
        try point("link", to: "one")
        let (mine, other) = (persister("link"), persister("link"))
        #expect([text(mine), text(other)] == ["1", "1"])
        try point("link", to: "two")
        try mine.update { $0?.append(contentsOf: Data("x".utf8)) }
        #expect(text(mine) == text(other))
        try other.persist(Data("3".utf8))
        #expect([text(mine), text(other)] == ["3", "3"])
        #expect(try Data(contentsOf: folder.file("one")) == Data("1".utf8))
        #expect(try Data(contentsOf: folder.file("two")) == Data("3".utf8))
    }

    @Test func linkAndTargetShareTheirValue() throws {
        try write("1", "one")
        try point("link", to: "one")
        let (link, target) = (persister("link"), persister("one"))
        try link.persist(Data("2".utf8))
        #expect([text(link), text(target)] == ["2", "2"])
        try target.persist(Data("3".utf8))
        #expect([text(link), text(target)] == ["3", "3"])
    }
}
