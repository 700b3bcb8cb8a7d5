import Foundation
import Testing

@testable import FlatCache
@testable import FlatCachePersistence
@testable import FlatCachePersistenceTestSupport

/// A monitor reports events until it is deallocated or canceled, and its closure may do anything.
@Suite(.exclusive)
struct FileWriteMonitorLifetimeTests {
    private let folder: MonitoredFolder
    private let file: URL
    private let log = MonitorLog()

    init() throws {
        folder = try MonitoredFolder()
        file = folder.file("file")
        try folder.write("old", to: "file")
    }

    @Test func monitorReleasesItsClosureWhenDeallocated() async throws {
        let end = Signal()
        weak var weakMonitor: FileWriteMonitor?
        do {
            let tracked = TrackedObject(end)
            let monitor = FileWriteMonitor(url: file) { [log, file] event in
                withExtendedLifetime(tracked) { log.note(event, of: file) }
            }
            weakMonitor = monitor
            try await folder.shell("printf new > file")
            #expect(await log.receives(.written, "new"))
        }
        #expect(weakMonitor == nil)
        // A running call retains the closure.
        #expect(await until { end.isFired })
    }

    @Test func cancellingReleasesTheClosure() async {
        let end = Signal()
        do {
            let tracked = TrackedObject(end)
            let box = Locked<FileWriteMonitor?>(nil)
            let monitor = FileWriteMonitor(url: file) { _ in
                withExtendedLifetime(tracked) { _ = box.withLock { $0 } }
            }
            box.withLock { $0 = monitor }
            monitor.cancel()
            monitor.cancel()
        }
        #expect(await until { end.isFired })
    }

    @Test func cancellingFromInsideACall() async throws {
        let box = Locked<FileWriteMonitor?>(nil)
        let monitor = FileWriteMonitor(url: file) { [log, file] in
            box.withLock { $0 }?.cancel()
            log.note($0, of: file)
        }
        box.withLock { $0 = monitor }
        let other = MonitorLog()
        let otherMonitor = other.monitor(file)
        try await folder.shell("printf new > file")
        #expect(await log.until { !$0.isEmpty })
        box.withLock { $0 = nil }
        try await folder.shell("printf newer > other; mv other file")
        #expect(await other.until { $0.last?.contents == "newer" })
        #expect(log.entries.count == 1)
        withExtendedLifetime(otherMonitor) {}
    }

    @Test func noCallStartsAfterCancellingWhileEventsRain() async throws {
        let isRaining = Locked(true)
        let rain = RunningThread { [file] in
            var number = 0
            while isRaining.withLock({ $0 }) {
                number += 1
                try? Data("\(number)".utf8).write(to: file)
            }
        }
        for _ in 0..<RandomTestSettings.repetitions(10) {
            let isCancelled = Locked(false)
            let (calls, lateCalls) = (Locked(0), Locked(0))
            let gate = NSLock()
            let monitor = FileWriteMonitor(url: file) { _ in
                // A call that started before the cancellation may get here after it. Only a call
                // that starts later is an error, and it waits for the gate.
                gate.withLock {
                    calls.withLock { $0 += 1 }
                    if isCancelled.withLock({ $0 }) { lateCalls.withLock { $0 += 1 } }
                }
            }
            #expect(await log.until { _ in calls.withLock { $0 } > 0 })
            monitor.cancel()
            isCancelled.withLock { $0 = true }
            let other = MonitorLog()
            let otherMonitor = other.monitor(file)
            #expect(await other.until { $0.count > 2 })
            #expect(lateCalls.withLock { $0 } <= 1)
            withExtendedLifetime(otherMonitor) {}
        }
        isRaining.withLock { $0 = false }
        #expect(await until { rain.hasEnded })
    }

    @Test func callsComeOneAtATime() async throws {
        let (isInside, mayReturn) = (Signal(), Signal())
        let counter = OverlapCounter()
        let calls = Locked(0)
        let monitor = FileWriteMonitor(url: file) { _ in
            counter.pass {
                isInside.fire()
                _ = mayReturn.wait()
            }
            calls.withLock { $0 += 1 }
        }
        try await folder.shell("printf new > file")
        #expect(await until { isInside.isFired })
        let otherMonitor = log.monitor(file)
        for number in 1...5 {
            try await folder.shell("printf \(number) > file")
            // An overlapping call would begin before or soon after the call of the other monitor.
            #expect(await log.receives(.written, "\(number)"))
        }
        mayReturn.fire()
        #expect(await until { calls.withLock { $0 } > 1 })
        #expect(counter.most == 1)
        withExtendedLifetime((monitor, otherMonitor)) {}
    }

    @Test func callThatTakesLongHoldsUpNoOtherMonitor() async throws {
        let count = 20
        let mayReturn = Signal()
        let entered = Locked(0)
        let monitors = (0..<count).map { _ in
            FileWriteMonitor(url: file) { [log, file] in
                entered.withLock { $0 += 1 }
                _ = mayReturn.wait()
                log.note($0, of: file)
            }
        }
        try await folder.shell("printf new > file")
        #expect(await until { entered.withLock { $0 } >= count })
        let other = MonitorLog()
        let otherMonitor = other.monitor(file)
        try await folder.shell("printf newer > file")
        #expect(await other.receives(.written, "newer"))
        mayReturn.fire()
        #expect(await log.until { $0.filter { $0.contents == "newer" }.count >= count })
        withExtendedLifetime((monitors, otherMonitor)) {}
    }

    @Test func callMayWriteAndDeleteTheFile() async throws {
        let monitor = FileWriteMonitor(url: file) { [log, file] event in
            log.note(event, of: file)
            switch log.last?.contents {
            case "new": try? Data("mine".utf8).write(to: file)
            case "mine": try? Data("mine, whole".utf8).write(to: file, options: .atomic)
            case "mine, whole": try? FileManager.default.removeItem(at: file)
            default: break
            }
        }
        try await folder.shell("printf new > other; mv other file")
        #expect(await log.until { $0.last?.event == .deleted })
        // The monitor may report a change more than once, or an earlier one of a folder on the
        // path.
        let contents = log.entries.map(\.contents).reduce(into: [String?]()) { all, contents in
            if contents != "old", all.last != .some(contents) { all.append(contents) }
        }
        #expect(contents == ["new", "mine", "mine, whole", nil])
        withExtendedLifetime(monitor) {}
    }
}
