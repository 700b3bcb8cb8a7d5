import Foundation
import Testing

@testable import FlatCache
@testable import FlatCachePersistence
@testable import FlatCachePersistenceTestSupport

/// A closure that reads the file at each event reads the last contents, however fast the file
/// changes.
struct FileWriteMonitorStormTests {
    private let folder: MonitoredFolder
    private let log = MonitorLog()

    init() throws { folder = try MonitoredFolder() }

    @Test(arguments: ["printf end > a/b/file", "rm -f a/b/file", "rm -rf a"])
    func manyChangesByAnotherProcess(last: String) async throws {
        let monitor = log.monitor(folder.file("a/b/file"))
        for round in 0...RandomTestSettings.repetitions(1) {
            // The last state differs from this one, so the monitor must report it.
            try await folder.shell("mkdir -p a/b; printf before\(round) > a/b/file")
            #expect(await log.until { $0.last?.contents == "before\(round)" })
            try await folder.shell(
                """
                i=0
                while [ $i -lt 50 ]; do
                    mkdir -p a/b
                    case $((i % 5)) in
                        0 | 1) printf $i > a/b/file ;;
                        2) printf $i > a/b/other; mv a/b/other a/b/file ;;
                        3) rm -f a/b/file ;;
                        4) [ $((i % 3)) = 0 ] || rm -rf a ;;
                    esac
                    i=$((i + 1))
                done
                mkdir -p a/b
                \(last)
                """
            )
            let contents: String? = last.hasPrefix("printf") ? "end" : nil
            #expect(await log.until { $0.last?.contents == contents })
        }
        withExtendedLifetime(monitor) {}
    }

    /// The races between watching and changing are rare, so this test repeats many of them.
    @Test func manyShortStorms() async {
        let settings = RandomTestSettings(seeds: 3, steps: 100, hasThreads: true)
        let monitor = log.monitor(folder.file("a/b/file"))
        await settings.forEachSeed { seed in
            await storms(settings.steps, seed)
        }
        withExtendedLifetime(monitor) {}
    }

    private func storms(_ count: Int, _ seed: Seed) async -> FailureReport? {
        var generator = SplitMix64(seed: seed)
        let files = FileManager.default
        let (a, b) = (folder.file("a"), folder.file("a/b"))
        let (file, away) = (folder.file("a/b/file"), folder.file("away"))
        // Each seed starts with an empty folder.
        for item in [a, away] { try? files.removeItem(at: item) }
        for round in 0..<count {
            var contents: String?
            for change in 0..<Int.random(in: 1...8, using: &generator) {
                // A change may fail because of earlier ones; only the final contents count.
                switch Int.random(in: 0..<9, using: &generator) {
                case 0, 1: try? Data("\(round).\(change)".utf8).write(to: file)
                case 2:
                    try? Data("\(round).\(change)".utf8).write(to: file, options: .atomic)
                case 3: try? files.removeItem(at: file)
                case 4: try? files.removeItem(at: b)
                case 5: try? files.moveItem(at: a, to: away)
                case 6: try? files.moveItem(at: away, to: a)
                case 7: try? files.removeItem(at: Bool.random(using: &generator) ? a : away)
                default: try? files.createDirectory(at: b, withIntermediateDirectories: true)
                }
            }
            contents = (try? Data(contentsOf: file)).map { String(decoding: $0, as: UTF8.self) }
            let isRight = await log.until { entries in
                entries.isEmpty ? contents == nil : entries.last?.contents == contents
            }
            guard !isRight else { continue }
            let problem = "The last event shows \(log.entries.last?.contents ?? "no file")."
            return FailureReport(seed: seed, step: round + 1, problem: problem)
        }
        return nil
    }
}
