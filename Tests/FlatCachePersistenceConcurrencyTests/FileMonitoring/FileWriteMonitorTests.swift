import Foundation
import Testing

@testable import FlatCachePersistence
@testable import FlatCachePersistenceTestSupport

/// A monitor reports the changes of other processes, and the last contents are readable at the end.
struct FileWriteMonitorTests {
    private let folder: MonitoredFolder
    private let log = MonitorLog()

    init() throws { folder = try MonitoredFolder() }

    private func monitor(_ path: String, holding contents: String? = nil) throws -> FileWriteMonitor
    {
        if let contents { try folder.write(contents, to: path) }
        return log.monitor(folder.file(path))
    }

    @Test func writingInPlace() async throws {
        let monitor = try monitor("file", holding: "old")
        try await folder.shell("printf new > file")
        #expect(await log.receives(.written, "new"))
        #expect(Set(log.events) == [.written])
        withExtendedLifetime(monitor) {}
    }

    @Test func appending() async throws {
        let monitor = try monitor("file", holding: "old")
        try await folder.shell("printf er >> file")
        #expect(await log.receives(.written, "older"))
        withExtendedLifetime(monitor) {}
    }

    @Test func writingEqualContents() async throws {
        let monitor = try monitor("file", holding: "same")
        try await folder.shell("printf same > file")
        #expect(await log.receives(.written, "same"))
        withExtendedLifetime(monitor) {}
    }

    @Test func writingWithoutClosing() async throws {
        let monitor = try monitor("file", holding: "old")
        let handle = try FileHandle(forWritingTo: folder.file("file"))
        try handle.write(contentsOf: Data("new".utf8))
        #expect(await log.receives(.written, "new"))
        try handle.close()
        withExtendedLifetime(monitor) {}
    }

    @Test func replacingAtomically() async throws {
        let monitor = try monitor("file", holding: "old")
        try await folder.shell("printf new > other; mv other file")
        #expect(await log.receives(.replaced, "new"))
        try await folder.shell("printf newer > other; mv other file")
        #expect(await log.receives(.replaced, "newer"))
        try await folder.shell("printf newest > file")
        #expect(await log.receives(.written, "newest"))
        withExtendedLifetime(monitor) {}
    }

    @Test func deletingAndCreatingAnew() async throws {
        let monitor = try monitor("file", holding: "old")
        try await folder.shell("rm file")
        #expect(await log.receives(.deleted, nil))
        try await folder.shell("printf new > file")
        #expect(await log.receives(.created, "new"))
        withExtendedLifetime(monitor) {}
    }

    @Test func creatingAMissingFile() async throws {
        let monitor = try monitor("file")
        try await folder.shell("printf new > file")
        #expect(await log.receives(.created, "new"))
        try await folder.shell("printf newer > file")
        #expect(await log.receives(.written, "newer"))
        withExtendedLifetime(monitor) {}
    }

    @Test func movingTheFileAwayAndBack() async throws {
        let monitor = try monitor("file", holding: "old")
        try await folder.shell("mv file away")
        #expect(await log.receives(.deleted, nil))
        try await folder.shell("printf new > away; mv away file")
        #expect(await log.receives(.created, "new"))
        withExtendedLifetime(monitor) {}
    }

    @Test func changingPermissions() async throws {
        let monitor = try monitor("file", holding: "old")
        try await folder.shell("chmod 600 file")
        #expect(await log.receives(.written, "old"))
        withExtendedLifetime(monitor) {}
    }

    @Test func folderInTheFilesPlace() async throws {
        let monitor = try monitor("file", holding: "old")
        try await folder.shell("rm file; mkdir file")
        #expect(await log.until { [.replaced, .created].contains($0.last?.event) })
        try await folder.shell("rmdir file; printf new > file")
        #expect(await log.until { $0.last?.contents == "new" })
        withExtendedLifetime(monitor) {}
    }

    @Test func twoMonitorsOfOneFile() async throws {
        let other = MonitorLog()
        let monitor = try monitor("file", holding: "old")
        let otherMonitor = other.monitor(folder.file("./file"))
        try await folder.shell("printf new > file")
        #expect(await log.receives(.written, "new"))
        #expect(await other.receives(.written, "new"))
        monitor.cancel()
        try await folder.shell("printf newer > other; mv other file; printf newest > file")
        #expect(await other.until { $0.last?.contents == "newest" })
        #expect(log.last?.contents == "new")
        withExtendedLifetime(otherMonitor) {}
    }

    @Test func manyMonitorsAtOnce() async throws {
        let logs = (0..<300).map { _ in MonitorLog() }
        let monitors = logs.enumerated().map { number, log in
            log.monitor(folder.file("folder/\(number)"))
        }
        try await folder.shell(
            "mkdir folder; i=0; while [ $i -lt 300 ]; do printf $i > folder/$i; i=$((i+1)); done"
        )
        for (number, log) in logs.enumerated() {
            #expect(await log.receives(.created, "\(number)"))
        }
        // A file that was created during a check seems unwatchable until the next check.
        #expect(await log.until { _ in monitors.allSatisfy { $0.watchError == nil } })
    }
}
