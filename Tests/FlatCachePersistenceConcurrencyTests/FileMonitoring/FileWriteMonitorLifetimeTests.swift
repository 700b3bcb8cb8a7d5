import Foundation
import Testing

@testable import FlatCache
@testable import FlatCachePersistence
@testable import FlatCachePersistenceTestSupport

/// A monitor reports events until it is deallocated or canceled, and its closure may do anything.
struct FileWriteMonitorLifetimeTests {
    private let folder: MonitoredFolder
    private let file: URL
    private let log = MonitorLog()

    init() throws {
        folder = try MonitoredFolder()
        file = folder.file("file")
        try folder.write("old", to: "file")
    }

    private final class Receipt: Sendable {}

    @Test func monitorReleasesItsClosureWhenDeallocated() async throws {
        weak var weakReceipt: Receipt?
        weak var weakMonitor: FileWriteMonitor?
        do {
            let receipt = Receipt()
            let monitor = FileWriteMonitor(url: file) { [log, file] event in
                withExtendedLifetime(receipt) { log.note(event, of: file) }
            }
            weakReceipt = receipt
            weakMonitor = monitor
            try await folder.shell("printf new > file")
            #expect(await log.receives(.written, "new"))
        }
        #expect(weakMonitor == nil)
        // A running call retains the closure.
        #expect(await log.until { _ in weakReceipt == nil })
    }

    @Test func cancellingReleasesTheClosure() async throws {
        weak var weakMonitor: FileWriteMonitor?
        do {
            let box = Locked<FileWriteMonitor?>(nil)
            let monitor = FileWriteMonitor(url: file) { _ in _ = box.withLock { $0 } }
            box.withLock { $0 = monitor }
            weakMonitor = monitor
            monitor.cancel()
            monitor.cancel()
        }
        #expect(await log.until { _ in weakMonitor == nil })
    }

    @Test func cancellingFromInsideACall() async throws {
        let box = Locked<FileWriteMonitor?>(nil)
        let monitor = FileWriteMonitor(url: file) { [log, file] in
            log.note($0, of: file)
            box.withLock { $0 }?.cancel()
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
        // On a thread of its own, since a task that never waits would block the threads of other
        // tasks.
        let rain = RunningThread { [file] in
            var number = 0
            while isRaining.withLock({ $0 }) {
                number += 1
                try? Data("\(number)".utf8).write(to: file)
            }
        }
        for _ in 0..<50 {
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
        #expect(rain.wait())
    }

    @Test func callsComeOneAtATime() async throws {
        let (running, overlaps, calls) = (Locked(0), Locked(0), Locked(0))
        let monitor = FileWriteMonitor(url: file) { _ in
            let count = running.withLock { running in
                running += 1
                return running
            }
            if count > 1 { overlaps.withLock { $0 += 1 } }
            // Waits for an overlapping call, which would start within milliseconds of an event.
            let deadline = ContinuousClock.now + .milliseconds(20)
            while overlaps.withLock({ $0 }) == 0, ContinuousClock.now < deadline { sched_yield() }
            running.withLock { $0 -= 1 }
            calls.withLock { $0 += 1 }
        }
        // The monitor may combine many of these events.
        for _ in 0..<1000 where calls.withLock({ $0 }) < 4 {
            try await folder.shell(
                "i=0; while [ $i -lt 30 ]; do printf $i > file; i=$((i+1)); done"
            )
        }
        #expect(await log.until { _ in calls.withLock { $0 } > 3 })
        #expect(overlaps.withLock { $0 } == 0)
        withExtendedLifetime(monitor) {}
    }

    @Test func callThatTakesLongHoldsUpNoOtherMonitor() async throws {
        let gates = (0..<20).map { _ in DispatchSemaphore(value: 0) }
        let entered = Locked(0)
        let monitors = gates.map { gate in
            FileWriteMonitor(url: file) { [log, file] in
                entered.withLock { $0 += 1 }
                gate.wait()
                log.note($0, of: file)
                gate.signal()
            }
        }
        try await folder.shell("printf new > file")
        #expect(await log.until { _ in entered.withLock { $0 } == gates.count })
        let other = MonitorLog()
        let otherMonitor = other.monitor(file)
        try await folder.shell("printf newer > file")
        #expect(await other.receives(.written, "newer"))
        for gate in gates { gate.signal() }
        #expect(await log.until { $0.filter { $0.contents == "newer" }.count >= gates.count })
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
        // The monitor may report a slow write, such as this one, more than once.
        let entries = log.entries.reduce(into: [MonitorLog.Entry]()) { entries, entry in
            if entries.last != entry { entries.append(entry) }
        }
        #expect(
            entries == [
                .init(event: .replaced, contents: "new"),
                .init(event: .written, contents: "mine"),
                .init(event: .replaced, contents: "mine, whole"),
                .init(event: .deleted, contents: nil),
            ]
        )
        withExtendedLifetime(monitor) {}
    }
}
