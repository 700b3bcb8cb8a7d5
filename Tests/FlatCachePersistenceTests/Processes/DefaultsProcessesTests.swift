#if os(Linux)
import Foundation
import Testing

@testable import FlatCache
@testable import FlatCachePersistence
@testable import FlatCachePersistenceTestSupport

/// Tests of a domain of user defaults with real second processes.
@Suite(.serialized, .tags(.slow)) struct DefaultsProcessesTests {
    private let suite: TemporarySuite
    private let storage: UserDefaultsStorage

    init() throws {
        suite = try TemporarySuite()
        storage = UserDefaultsStorage(suite.defaults)
    }

    @Test func twoProcessesThatWriteOneDomainLoseNothingAndEndEqual() async throws {
        try await onOwnThread {
            let writes = RandomTestSettings.repetitions(250) * 2
            let probes = try [1, 2].map {
                try SecondProcess([
                    "defaults-hammer", suite.name, "shared", "\(writes / 2)", "\($0)",
                ])
            }
            for probe in probes { #expect(probe.line() == "ready") }
            let received = Recorder<String?>()
            let readers = probes.map { probe in RunningThread { received.append(probe.line()) } }
            var reads = 0
            while reads == 0 || !readers.allSatisfy(\.hasEnded) {
                guard let value = try storage.retrieveValue(for: "shared") else { continue }
                guard case .integer(let number) = value, [1, 2].contains(number % 10) else {
                    Issue.record("A value that was never written: \(value)")
                    break
                }
                reads += 1
            }
            #expect(received.all == ["wrong 0", "wrong 0"])
            for probe in probes { probe.goOn() }
            let ends = probes.map { $0.lines() }
            #expect(ends[0].first == ends[1].first)
            let file = try suite.file()
            for number in 1...2 {
                #expect(file["shared.\(number)"] == .integer(Int64(writes / 2 * 10 + number)))
            }
            #expect(ends[0].first == file["shared"].map { "end \($0)" })
        }
    }

    @Test func twoProcessesThatUpdateOneDefaultLoseNoUpdate() async throws {
        try await onOwnThread {
            let updates = RandomTestSettings.repetitions(100)
            let probes = try (0..<2).map { _ in
                try SecondProcess(["defaults-update", suite.name, "count", "\(updates)"])
            }
            for probe in probes { #expect(probe.lines() == ["updated"]) }
            #expect(try suite.file()["count"] == .integer(Int64(2 * updates)))
        }
    }

    @Test func processKilledDuringAWriteLeavesTheOldOrTheNewValue() async throws {
        try await onOwnThread {
            try storage.storeValue(.integer(7), key: "other")
            var generator = SplitMix64(seed: 7)
            var letters: Set<Character> = []
            var rounds = RandomTestSettings.repetitions(10)
            // In the end, the processes have been killed at different moments.
            while rounds > 0 || letters.count < 2 {
                rounds -= 1
                let probe = try SecondProcess(["defaults-forever", suite.name, "text", "5000"])
                #expect(probe.line() == "ready")
                generator.compute(atMost: 300_000)
                probe.killAtOnce()
                let file = try suite.file()
                guard case .string(let text) = try #require(file["text"]) else {
                    Issue.record("The value is not a text.")
                    return
                }
                #expect(text.utf8.count == 5000)
                #expect(Set(text).count == 1)
                #expect(file["other"] == .integer(7))
                letters.formUnion(text.prefix(1))
            }
            #expect(try storage.retrieveValue(for: "other") == .integer(7))
        }
    }

    @Test func fullDiskIsAnErrorAndChangesNoFile() async throws {
        try storage.storeValue(.integer(7), key: "number")
        let lines = try await onOwnThread {
            try SecondProcess(["defaults-limited", suite.name, "number", "4096"]).lines()
        }
        #expect(lines.count == 2)
        #expect(lines.first?.hasPrefix("write: ") == true)
        #expect(lines.first?.contains(suite.path) == true)
        #expect(lines.last == "read integer(7)")
        #expect(try suite.file() == ["number": .integer(7)])
        #expect(suite.entries == [AtomicFile.name(of: suite.path)])
    }

    @Test(arguments: ["volume", "audio.volume"])
    func writeOfAnotherProcessNotifiesListeners(_ key: String) async throws {
        let persister = Persister<Int?>(key: key, storedBy: storage)
        let received = Recorder<Int?>()
        let listening = persister.addUpdateListener { received.append(try? $0.get().newValue) }
        #expect(persister.retrieveValue() == nil)
        for value in 1...3 {
            let lines = try await onOwnThread {
                try SecondProcess(["defaults-plain", suite.name, key, "\(value)"]).lines()
            }
            #expect(lines == ["stored"])
            #expect(await until { persister.retrieveValue() == value })
        }
        #expect(await until { received.all.last == 3 })
        // A read refreshes Foundation's values, unless a test in the same folder is writing.
        #expect(
            await until {
                persister.retrieveValue() == 3 && suite.defaults.integer(forKey: key) == 3
            }
        )
        withExtendedLifetime(listening) {}
    }

    @Test func editByHandNotifiesListeners() async throws {
        let persister = Persister<String?>(key: "app.theme", storedBy: storage)
        try persister.persist("light")
        let received = Recorder<String?>()
        let listening = persister.addUpdateListener { result in
            if let update = try? result.get() { received.append(update.newValue) }
        }
        var file = try suite.file()
        file["app.theme"] = .string("dark")
        try suite.replaceFile(file)
        #expect(await until { persister.retrieveValue() == "dark" })
        file["app.theme"] = nil
        try suite.replaceFile(file)
        #expect(await until { persister.retrieveValue() == nil })
        #expect(await until { received.all == ["dark", nil] })
        withExtendedLifetime(listening) {}
    }
}
#endif
