import Foundation
import Testing

@testable import FlatCache
@testable import FlatCachePersistence
@testable import FlatCachePersistenceTestSupport

/// The watches of the system, with changes of the files before and after a watch is added.
private final class DisturbedWatching: FileWatching {
    private let disturbances = Locked<[@Sendable (_ watch: () -> Void) -> Void]>([])

    func disturbNext(_ disturbances: (@Sendable (_ watch: () -> Void) -> Void)...) {
        self.disturbances.withLock { $0 += disturbances }
    }

    func watch(_ steps: [ResolvedPath.Step], for monitor: FileMonitorCore) -> FileWatchOutcome {
        var outcome = FileWatchOutcome()
        let disturbance = disturbances.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        guard let disturbance else { return FileWatches.shared.watch(steps, for: monitor) }
        disturbance { outcome = FileWatches.shared.watch(steps, for: monitor) }
        return outcome
    }

    func endWatching(for monitor: FileMonitorCore) {
        FileWatches.shared.endWatching(for: monitor)
    }
}

/// Folders that are absent or replaced while they are watched, and exist again when they are
/// checked.
struct AbsentFoldersTests {
    private let folder: MonitoredFolder
    private let log = MonitorLog()
    private let watching = DisturbedWatching()

    init() throws {
        folder = try MonitoredFolder()
        try FileManager.default.createDirectory(
            at: folder.file("a/b"),
            withIntermediateDirectories: true
        )
        try folder.write("0", to: "a/b/file")
    }

    private func monitor() -> FileWriteMonitor {
        let file = folder.file("a/b/file")
        return FileWriteMonitor(url: file, watching: watching) { [log] in log.note($0, of: file) }
    }

    @Test(arguments: [false, true]) func folderThatIsAwayWhenItIsWatched(
        isReplaced: Bool
    ) async throws {
        let monitor = monitor()
        let (a, away) = (folder.file("a"), folder.file("away"))
        let other = folder.file("a/b")
        for round in 1...20 {
            watching.disturbNext { watch in
                let files = FileManager.default
                try? files.moveItem(at: a, to: away)
                if isReplaced {
                    try? files.createDirectory(at: other, withIntermediateDirectories: true)
                }
                watch()
                if isReplaced { try? files.removeItem(at: a) }
                try? files.moveItem(at: away, to: a)
            }
            try folder.write("\(round)", to: "a/b/file")
            #expect(await log.until { $0.last?.contents == "\(round)" })
            // This change happens without a disturbance.
            try folder.write("\(round)!", to: "a/b/file")
            #expect(await log.until { $0.last?.contents == "\(round)!" })
        }
        withExtendedLifetime(monitor) {}
    }

    @Test func folderThatIsAwayEachTimeButInBetween() async throws {
        let monitor = monitor()
        let (a, away) = (folder.file("a"), folder.file("away"))
        for round in 1...20 {
            // The folder exists when the path is resolved, but not when its watches are added.
            watching.disturbNext(
                { watch in
                    try? FileManager.default.moveItem(at: a, to: away)
                    watch()
                    try? FileManager.default.moveItem(at: away, to: a)
                },
                { watch in
                    try? FileManager.default.moveItem(at: a, to: away)
                    watch()
                }
            )
            try folder.write("\(round)", to: "a/b/file")
            #expect(await log.until { !$0.isEmpty && $0.last?.contents == nil })
            try FileManager.default.moveItem(at: away, to: a)
            #expect(await log.until { $0.last?.contents == "\(round)" })
        }
        withExtendedLifetime(monitor) {}
    }
}
