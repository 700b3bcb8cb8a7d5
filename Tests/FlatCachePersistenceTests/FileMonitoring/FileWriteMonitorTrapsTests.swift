import Foundation
import Testing

@testable import FlatCachePersistence
@testable import FlatCachePersistenceTestSupport

/// Errors of the programmer trap with advice.
///
/// Tests that affect a whole process run in processes of their own.
struct FileWriteMonitorTrapsTests {
    @Test func urlOfSomethingElseThanAFile() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let url = try #require(URL(string: "https://example.com/file"))
            _ = FileWriteMonitor(url: url) { _ in }
        }
        try Self.expect(result, says: "give a file URL")
    }

    @Test func pathThatNoFileCanHave() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let url = try #require(URL(string: "file:///tmp/a%00b"))
            _ = FileWriteMonitor(url: url) { _ in }
        }
        try Self.expect(result, says: "no path that a file can have")
    }

    private static func expect(_ result: ExitTest.Result?, says part: String) throws {
        let message = try #require(result).standardErrorContent
        #if DEBUG
        #expect(String(decoding: message, as: UTF8.self).contains(part))
        #endif
    }

    #if os(Linux)
    /// Returns the number of inotify descriptors that this process has open.
    private static func descriptorCount() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { name in
            let target = try? FileManager.default
                .destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
            return target == "anon_inode:inotify"
        }
    }

    private static func closesDescriptor() async -> Bool {
        await pollUntil("Dispatch closes the descriptor, which only the system shows.") {
            (try? descriptorCount()) == 0
        }
    }

    @Test func allMonitorsShareOneDescriptorThatTheLastOneCloses() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try MonitoredFolder()
            let log = MonitorLog()
            for _ in 0..<3 {
                #expect(try Self.descriptorCount() == 0)
                var monitors = (0..<300).map { log.monitor(folder.file("a/\($0)/file")) }
                #expect(try Self.descriptorCount() == 1)
                try await folder.shell("mkdir -p a/7; printf new > a/7/file")
                #expect(await log.until { $0.last?.contents == "new" })
                try await folder.shell("rm -r a")
                #expect(await log.until { $0.last?.contents == nil })
                for monitor in monitors.dropFirst() { monitor.cancel() }
                #expect(try Self.descriptorCount() == 1)
                monitors = []
                #expect(await Self.closesDescriptor())
            }
        }
    }

    @Test func cancellingDuringChangesLeavesNoDescriptor() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try MonitoredFolder()
            let log = MonitorLog()
            for number in 0..<RandomTestSettings.repetitions(20) {
                let monitor = log.monitor(folder.file("a/file"))
                async let changes: Void = Self.change(folder)
                if number.isMultiple(of: 2) { await Task.yield() }
                monitor.cancel()
                try await changes
            }
            #expect(await Self.closesDescriptor())
        }
    }

    private static func change(_ folder: MonitoredFolder) async throws {
        let a = folder.file("a")
        for _ in 0..<5 {
            try FileManager.default.createDirectory(at: a, withIntermediateDirectories: true)
            try folder.write("new", to: "a/file")
            try FileManager.default.removeItem(at: a)
        }
    }

    @Test func monitorWithoutADescriptorGetsOneWhenThereIs() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try MonitoredFolder()
            let log = MonitorLog()
            try folder.write("old", to: "file")
            // Lets Dispatch open the descriptors that it keeps for its own use.
            let early = log.monitor(folder.file("file"))
            try await folder.shell("printf older > file")
            #expect(await log.receives(.written, "older"))
            early.cancel()
            #expect(await Self.closesDescriptor())
            // As briefly as possible: Dispatch opens files to manage its threads, and traps if it
            // can't.
            let (monitor, error) = Self.withoutDescriptors {
                let monitor = log.monitor(folder.file("file"))
                return (monitor, monitor.watchError)
            }
            #expect(error?.code == EMFILE)
            #expect(await log.until { _ in monitor.watchError == nil })
            try await folder.shell("printf new > file")
            #expect(await log.receives(.written, "new"))
        }
    }

    /// Runs a closure while the process can't open a descriptor.
    private static func withoutDescriptors<Result>(_ body: () -> Result) -> Result {
        let resource = __rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue))
        var limit = rlimit()
        getrlimit(resource, &limit)
        // The number of the next descriptor, because all lower numbers are in use.
        let next = open("/dev/null", O_RDONLY)
        close(next)
        var tight = limit
        tight.rlim_cur = rlim_t(next)
        setrlimit(resource, &tight)
        defer { setrlimit(resource, &limit) }
        return body()
    }
    #endif
}
