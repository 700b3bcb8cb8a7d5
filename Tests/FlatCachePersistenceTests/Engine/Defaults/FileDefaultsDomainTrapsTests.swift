#if os(Linux)
import Foundation
import Testing

@testable import FlatCachePersistence
@testable import FlatCachePersistenceTestSupport

/// Values that Foundation can't save.
///
/// Each test has a process of its own, since Foundation saves all domains of a process together.
struct FileDefaultsDomainTrapsTests {
    /// Limits the size of files from now on, or removes the limit.
    private static func limitFiles(to size: rlim_t?) {
        signal(SIGXFSZ, SIG_IGN)
        let resource = __rlimit_resource_t(UInt32(RLIMIT_FSIZE.rawValue))
        var limit = rlimit()
        getrlimit(resource, &limit)
        limit.rlim_cur = size ?? limit.rlim_max
        setrlimit(resource, &limit)
    }

    @Test func valueThatExceedsTheFreeSpaceIsReadAndDamagesNoFile() async {
        await #expect(processExitsWith: .success) {
            let suite = try TemporarySuite()
            let domain = suite.makeDomain()
            try domain.setValue(.string("first"), forKey: "key")
            let before = FileManager.default.contents(atPath: suite.path)
            let large = String(repeating: "x", count: 20_000)
            suite.defaults.set("second", forKey: "key")
            suite.defaults.set(large, forKey: "large")
            let stamp = try DefaultsFile.stamp(of: suite.path)
            Self.limitFiles(to: 4096)
            for _ in 0..<2 {
                #expect(try domain.value(forKey: "key") == .string("second"))
                #expect(try domain.keys() == ["key", "large"])
            }
            #expect(throws: (any Error).self) { try domain.synchronize() }
            #expect(throws: (any Error).self) {
                try domain.setValue(.integer(1), forKey: "other")
            }
            Self.limitFiles(to: nil)
            // The file is untouched, so no other process is notified or reads it again.
            #expect(try DefaultsFile.stamp(of: suite.path) == stamp)
            #expect(FileManager.default.contents(atPath: suite.path) == before)
            #expect(suite.entries == [AtomicFile.name(of: suite.path)])
            try domain.setValue(.integer(1), forKey: "other")
            let all: [String: PropertyListValue] = [
                "key": .string("second"), "large": .string(large), "other": .integer(1),
            ]
            #expect(try suite.file() == all)
        }
    }

    @Test func largeDomainIsSavedOrRestored() async {
        await #expect(processExitsWith: .success) {
            let suite = try TemporarySuite()
            let domain = suite.makeDomain()
            let blob = PropertyListValue.string(String(repeating: "x", count: 100_000))
            try domain.setValue(blob, forKey: "blob")
            suite.defaults.set(1, forKey: "plain")
            try domain.setValue(.integer(2), forKey: "own")
            let all: [String: PropertyListValue] = [
                "blob": blob, "plain": .integer(1), "own": .integer(2),
            ]
            #expect(try suite.file() == all)
            suite.defaults.set(String(repeating: "y", count: 40_000), forKey: "large")
            Self.limitFiles(to: 120_000)
            for _ in 0..<2 {
                #expect(throws: (any Error).self) {
                    try domain.setValue(.integer(3), forKey: "own")
                }
                #expect(try suite.file() == all)
            }
            Self.limitFiles(to: nil)
            try domain.setValue(.integer(3), forKey: "own")
            let file = try suite.file()
            #expect(file["own"] == .integer(3) && file["blob"] == blob && file["large"] != nil)
            #expect(suite.entries == [AtomicFile.name(of: suite.path)])
        }
    }

    @Test func valueThatCouldNotBeReadAgainIsNamedInTheErrorAndNotSaved() async {
        await #expect(processExitsWith: .success) {
            for isThere in [false, true] {
                let suite = try TemporarySuite()
                let domain = suite.makeDomain()
                if isThere { try domain.setValue(.integer(1), forKey: "key") }
                let before = try suite.file()
                suite.defaults.set("dark", forKey: "theme")
                suite.defaults.set(["CF$UID": 1], forKey: "bad")
                #expect(try domain.value(forKey: "theme") == .string("dark"))
                #expect {
                    try domain.setValue(.integer(2), forKey: "key")
                } throws: {
                    ($0 as? UnsavedDefaultsError)?.unreadableKey == "bad"
                }
                #expect(try suite.file() == before)
                suite.defaults.removeObject(forKey: "bad")
                try domain.setValue(.integer(2), forKey: "key")
                #expect(try suite.file() == ["key": .integer(2), "theme": .string("dark")])
            }
        }
    }

    @Test func writeThatAFailedSaveOverwroteIsWrittenAgain() async {
        await #expect(processExitsWith: .success) {
            let suite = try TemporarySuite()
            let domain = suite.makeDomain()
            let hasEnded = Signal()
            let setting = RunningThread {
                var generator = SplitMix64(seed: 1)
                while !hasEnded.isFired {
                    // Every second value fits.
                    for length in [20_000, 0] {
                        suite.defaults.set(String(repeating: "x", count: length), forKey: "plain")
                        generator.compute(atMost: 20_000)
                    }
                }
            }
            Self.limitFiles(to: 4096)
            var stored: PropertyListValue?
            for number in Int64(1)...80 {
                // A value that can't be stored must not damage the file.
                if (try? domain.setValue(.integer(number), forKey: "own")) != nil {
                    stored = .integer(number)
                }
                #expect(try suite.file()["own"] == stored)
            }
            Self.limitFiles(to: nil)
            hasEnded.fire()
            #expect(await until { setting.hasEnded })
        }
    }
}
#endif
