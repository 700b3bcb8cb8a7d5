import Foundation
import Testing

@testable import FlatCachePersistence
@testable import FlatCachePersistenceTestSupport

/// A monitor finds its file again after any change of the folders and links on its path.
struct FileWriteMonitorFolderTests {
    private let folder: MonitoredFolder
    private let log = MonitorLog()

    init() throws { folder = try MonitoredFolder() }

    private func monitor(_ path: String) -> FileWriteMonitor { log.monitor(folder.file(path)) }

    @Test func foldersThatAreMissingAtTheStart() async throws {
        let monitor = monitor("a/b/file")
        try await folder.shell("mkdir -p a/b; printf new > a/b/file")
        #expect(await log.receives(.created, "new"))
        #expect(log.entries.first?.event == .created)
        try await folder.shell("printf newer > a/b/file")
        #expect(await log.receives(.written, "newer"))
        withExtendedLifetime(monitor) {}
    }

    @Test func foldersThatComeOneByOne() async throws {
        let monitor = monitor("a/b/c/file")
        for path in ["a", "a/b", "a/b/c"] {
            try await folder.shell("mkdir \(path)")
        }
        try await folder.shell("printf new > a/b/c/file")
        #expect(await log.receives(.created, "new"))
        #expect(log.entries.first?.event == .created)
        withExtendedLifetime(monitor) {}
    }

    @Test func folderThatIsDeletedAndCreatedAnew() async throws {
        try await folder.shell("mkdir -p a/b; printf old > a/b/file")
        let monitor = monitor("a/b/file")
        for number in 0..<5 {
            try await folder.shell("rm -r a")
            #expect(await log.receives(.deleted, nil))
            try await folder.shell("mkdir -p a/b; printf \(number) > a/b/file")
            #expect(await log.receives(.created, "\(number)"))
            try await folder.shell("rm -r a; mkdir -p a/b; printf new > a/b/file")
            #expect(await log.receives(nil, "new"))
        }
        withExtendedLifetime(monitor) {}
    }

    @Test func folderThatIsDeletedWhileAProcessWorksInIt() async throws {
        try await folder.shell("mkdir a")
        let monitor = monitor("a/file")
        try await folder.shell("cd a; rmdir ../a; mkdir ../a; printf new > ../a/file")
        #expect(await log.receives(.created, "new"))
        withExtendedLifetime(monitor) {}
    }

    @Test(arguments: ["a", "a/b"])
    func folderThatIsRenamedAwayAndAnotherPutInItsPlace(path: String) async throws {
        try await folder.shell("mkdir -p a/b; printf old > a/b/file")
        try await folder.shell("mkdir -p new/b; printf new > new/b/file; printf new > new/file")
        let monitor = monitor("a/b/file")
        try await folder.shell("mv \(path) away")
        #expect(await log.receives(.deleted, nil))
        try await folder.shell("mv new \(path)")
        #expect(await log.receives(.created, "new"))
        try await folder.shell("printf newer > a/b/file")
        #expect(await log.receives(.written, "newer"))
        try await folder.shell("printf newest > other; mv other a/b/file")
        #expect(await log.receives(.replaced, "newest"))
        withExtendedLifetime(monitor) {}
    }

    @Test func fileInTheFoldersPlace() async throws {
        try await folder.shell("printf x > a")
        let monitor = monitor("a/file")
        try await folder.shell("rm a; mkdir a; printf new > a/file")
        #expect(await log.receives(.created, "new"))
        withExtendedLifetime(monitor) {}
    }

    @Test func linkToAFileElsewhere() async throws {
        try await folder.shell("mkdir a b; printf old > b/target; ln -s ../b/target a/file")
        let monitor = monitor("a/file")
        try await folder.shell("printf new > b/target")
        #expect(await log.receives(.written, "new"))
        try await folder.shell("printf newer > other; mv other b/target")
        #expect(await log.receives(.replaced, "newer"))
        try await folder.shell("rm b/target")
        #expect(await log.receives(.deleted, nil))
        try await folder.shell("printf newest > b/target")
        #expect(await log.receives(.created, "newest"))
        try await folder.shell("printf other > b/other; ln -s ../b/other link; mv link a/file")
        #expect(await log.receives(.replaced, "other"))
        withExtendedLifetime(monitor) {}
    }

    @Test func linkOnTheWay() async throws {
        try await folder.shell("mkdir -p v1/b v2/b; printf 1 > v1/b/file; printf 2 > v2/b/file")
        try await folder.shell("ln -s v1 current")
        let monitor = monitor("current/b/file")
        try await folder.shell("ln -s v2 next; mv -T next current")
        #expect(await log.receives(.replaced, "2"))
        try await folder.shell("printf 3 > v2/b/file")
        #expect(await log.receives(.written, "3"))
        try await folder.shell("rm current; ln -s v1 current")
        #expect(await log.receives(nil, "1"))
        withExtendedLifetime(monitor) {}
    }

    @Test func hardLinkElsewhere() async throws {
        try await folder.shell("mkdir a b; printf old > a/file; ln a/file b/file")
        let monitor = monitor("a/file")
        #expect(monitor.watchError == nil)
        try await folder.shell("printf new > b/file")
        #expect(await log.receives(.written, "new"))
        withExtendedLifetime(monitor) {}
    }

    @Test func pathOfTheParentOfALinksTarget() async throws {
        try await folder.shell("mkdir -p a x/y; ln -s ../x/y a/link; printf old > x/file")
        let monitor = monitor("a/link/../file")
        try await folder.shell("printf no > a/file; printf new > x/file")
        #expect(await log.receives(.written, "new"))
        withExtendedLifetime(monitor) {}
    }
}
