import FlatCacheTesting
import Foundation
import Testing

@testable import FlatCache
@testable import FlatCachePersistence
@testable import FlatCachePersistenceTestSupport

/// The monitor polls a file that the system can't watch.
struct FileWatchErrorTests {
    private let folder: MonitoredFolder
    private let log = MonitorLog()

    init() throws { folder = try MonitoredFolder() }

    @Test func monitorWithoutWatchesLooksAtTheFile() async throws {
        let file = folder.file("file")
        let error = FileError.watching("/some/file", code: ENOSPC)
        let watching = SilentWatching(error)
        let clock = ManualClock()
        let monitor = FileWriteMonitor(url: file, watching: watching, clock: clock) { [log] in
            log.note($0, of: file)
        }
        #expect(monitor.watchError == error)
        let poll = {
            #expect(await until { clock.sleeperCount == 1 })
            clock.advance(by: FileMonitorState.pollingInterval)
        }
        try await folder.shell("printf new > file")
        await poll()
        #expect(await log.receives(.created, "new"))
        try await folder.shell("printf newer > other; mv other file")
        await poll()
        #expect(await log.receives(.replaced, "newer"))
        try await folder.shell("rm file")
        await poll()
        #expect(await log.receives(.deleted, nil))
        watching.error.withLock { $0 = nil }
        await poll()
        #expect(await log.until { _ in monitor.watchError == nil })
        #expect(clock.sleeperCount == 0)
    }

    /// The text of the link's target is no valid path, but the system can follow the link.
    @Test func linkThatOnlyTheSystemCanFollow() async throws {
        try await folder.shell("mkdir a; printf old > a/file")
        let handle = try FileHandle(forReadingFrom: folder.file("a/file"))
        try await folder.shell("rm a/file")
        let link = URL(filePath: "/proc/self/fd/\(handle.fileDescriptor)")
        let monitor = FileWriteMonitor(url: link) { _ in }
        #expect(monitor.watchError?.code == ENOENT)
        try handle.close()
    }

    @Test(arguments: [
        (ENOSPC, "fs.inotify.max_user_watches"), (EMFILE, "fs.inotify.max_user_instances"),
        (ENFILE, "ulimit -n"), (EACCES, "Permission denied"), (EPERM, "not permitted"),
        (EIO, "Input/output error (5)"),
    ])
    func descriptionGivesAdvice(code: Int32, part: String) {
        let error = FileError.watching("/some/file", code: code)
        #expect(error.code == code)
        #expect(error.description.contains("/some/file"))
        #expect(error.description.contains(part))
    }
}
