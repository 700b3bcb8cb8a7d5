import FlatCachePersistence
import Foundation
import PersistenceProbe
import Testing

@testable import FlatCache
@testable import FlatCachePersistenceTestSupport

/// Tests of files with real second processes.
@Suite(.tags(.slow)) struct FileProcessesTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func record(_ data: Data?) throws -> ProbeRecord? {
        try data.map { try JSONDecoder().decode(ProbeRecord.self, from: $0) }
    }

    @Test func twoProcessesThatWriteOneFileReadWholeValuesAndEndEqual() async throws {
        try await onOwnThread {
            let file = folder.file("record.json")
            let writes = RandomTestSettings.repetitions(500)
            let probes = try ["one", "two"].map {
                try SecondProcess(["file-hammer", file.path, "\(writes)", $0])
            }
            for probe in probes { #expect(probe.line() == "ready") }
            var reads = 0
            let storage = FileStorage()
            // Reads until both processes have written.
            let unread = Recorder<String?>()
            let readers = probes.map { probe in RunningThread { unread.append(probe.line()) } }
            while reads == 0 || !readers.allSatisfy(\.hasEnded) {
                if try record(storage.retrieveValue(for: file)) != nil { reads += 1 }
            }
            #expect(unread.all == ["unread 0", "unread 0"])
            for probe in probes { probe.goOn() }
            let ends = probes.map { $0.lines() }
            #expect(ends[0].first == ends[1].first)
            let last = try record(storage.retrieveValue(for: file))
            #expect(last?.step == writes)
            #expect(last.map { ["one", "two"].contains($0.writer) } == true)
            #expect(try folder.contents == ["record.json"])
        }
    }

    @Test func twoProcessesThatUpdateOneFileLoseNoUpdate() async throws {
        try await onOwnThread {
            let file = folder.file("record.json")
            let updates = RandomTestSettings.repetitions(200)
            let probes = try (0..<2).map { _ in
                try SecondProcess(["file-update", file.path, "\(updates)"])
            }
            for probe in probes { #expect(probe.lines() == ["updated"]) }
            #expect(try record(FileStorage().retrieveValue(for: file))?.step == 2 * updates)
            #expect(try folder.contents == ["record.json"])
        }
    }

    @Test func processKilledDuringAWriteLeavesTheOldOrTheNewValue() async throws {
        try await onOwnThread {
            let file = folder.file("letters")
            var generator = SplitMix64(seed: 6)
            var letters: Set<UInt8> = []
            var rounds = RandomTestSettings.repetitions(10)
            // In the end, the processes have been killed at different moments.
            while rounds > 0 || letters.count < 3 {
                rounds -= 1
                let probe = try SecondProcess(["file-forever", file.path, "200000"])
                #expect(probe.line() == "ready")
                // Waits for some writes, since the process may share a processor with this one.
                for _ in 0..<generator.next() % 4 {
                    let former = try FileStorage().retrieveValue(for: file)
                    while try FileStorage().retrieveValue(for: file) == former {}
                }
                generator.compute(atMost: 60_000)
                probe.killAtOnce()
                let data = try #require(try FileStorage().retrieveValue(for: file))
                #expect(data.count == 200_000)
                #expect(Set(data).count == 1)
                letters.formUnion(data.prefix(1))
            }
            // Killed processes have left only their own hidden files behind.
            #expect(
                try folder.contents.allSatisfy { $0 == "letters" || $0.hasPrefix(".letters.tmp-") }
            )
        }
    }

    @Test func fullDiskIsAnErrorAndChangesNoFile() async throws {
        let file = folder.file("record.json")
        try FileStorage().storeValue(
            JSONEncoder().encode(ProbeRecord(writer: "before", step: 0)),
            key: file
        )
        let lines = try await onOwnThread {
            try SecondProcess(["file-limited", file.path, "4096"]).lines()
        }
        #expect(lines.count == 3)
        #expect(lines.first == "read")
        #expect(lines.dropFirst().first?.hasPrefix("write: ") == true)
        #expect(lines.dropFirst().first?.contains(file.path) == true)
        #expect(lines.last == "as before")
        #expect(try record(FileStorage().retrieveValue(for: file))?.writer == "before")
        #expect(try folder.contents == ["record.json"])
    }

    @Test func unwritableFolderIsAnErrorAndChangesNoFile() async throws {
        let file = folder.file("record.json")
        try FileStorage().storeValue(
            JSONEncoder().encode(ProbeRecord(writer: "before", step: 0)),
            key: file
        )
        chmod(file.path, 0o666)
        chmod(folder.url.path, 0o555)
        let lines = try await onOwnThread {
            try SecondProcess(["file-unprivileged", file.path]).lines()
        }
        #expect(lines.first == "read")
        #expect(lines.dropFirst().first?.hasPrefix("write: ") == true)
        #expect(lines.dropFirst().first?.contains(folder.url.path) == true)
        #expect(lines.last == "as before")
        #expect(try record(FileStorage().retrieveValue(for: file))?.writer == "before")
    }

    @Test func fileInAReadOnlyFolderIsWrittenInPlaceIfAnOptionAsks() async throws {
        let file = folder.file("text")
        try Data("old".utf8).write(to: file)
        chmod(file.path, 0o666)
        chmod(folder.url.path, 0o555)
        let lines = try await onOwnThread {
            try SecondProcess(["file-in-place", file.path, "unprivileged"]).lines()
        }
        try expectWrittenInPlace(file, lines)
        #expect(lines.first?.contains(folder.url.path) == true)
    }

    #if os(Linux)
    @Test func mountedFileIsWrittenInPlaceIfAnOptionAsks() async throws {
        let (file, other) = (folder.file("text"), folder.file("other"))
        for url in [file, other] { try Data("old".utf8).write(to: url) }
        let probe = try SecondProcess.executable("PersistenceProbe").path
        let mount = "mount --bind '\(other.path)' '\(file.path)' 2>/dev/null"
        let command = "\(mount) || exit 0; exec '\(probe)' file-in-place '\(file.path)'"
        let data = try await onOwnThread {
            try ChildProcess(
                "/bin/sh",
                ["-c", "unshare -Urm sh -c \"$1\" 2>/dev/null || exit 0", "sh", command]
            ).outputToEnd()
        }
        let lines = String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
        // Not every system lets a test mount a file.
        if lines.isEmpty { return }
        try expectWrittenInPlace(other, lines)
        #expect(lines.first?.contains("(\(EBUSY))") == true)
        #expect(try Data(contentsOf: file) == Data("old".utf8))
    }
    #endif

    private func expectWrittenInPlace(_ file: URL, _ lines: [String]) throws {
        #expect(lines.count == 4 && lines.suffix(2) == ["stored", "stored"])
        #expect(lines.prefix(2).allSatisfy { $0.contains("writesInPlaceIfNecessary") })
        #expect(try Data(contentsOf: file) == Data("short".utf8))
        #expect(try folder.contents.allSatisfy { !$0.contains(".tmp-") })
    }

    @Test func fileWithoutReadPermissionIsAnError() async throws {
        let file = folder.file("record.json")
        try FileStorage().storeValue(Data("{}".utf8), key: file)
        chmod(file.path, 0)
        chmod(folder.url.path, 0o777)
        let lines = try await onOwnThread {
            try SecondProcess(["file-unprivileged", file.path]).lines()
        }
        #expect(lines.first?.hasPrefix("read: ") == true)
        // A process that must not write the file must not replace it either, although the folder's
        // permissions allow it.
        #expect(lines.dropFirst().first?.hasPrefix("write: ") == true)
        chmod(file.path, 0o600)
        #expect(try FileStorage().retrieveValue(for: file) == Data("{}".utf8))
    }

    // MARK: Changes by other processes

    @Test func writeOfOneProcessNotifiesListenersInTheOther() async throws {
        try await onOwnThread {
            let file = folder.url.appending(path: "later/record.json")
            let listener = try SecondProcess(["file-echo", file.path, "last"])
            #expect(listener.line() == "ready")
            let persister = Persister<ProbeRecord?>(
                key: file,
                storedBy: FileStorage(),
                transformer: JSONTransformer<ProbeRecord>()
            )
            for writer in ["first", "second"] {
                try persister.persist(ProbeRecord(writer: writer, step: 1))
                #expect(listener.line() == "received \(writer)")
            }
            try persister.removeValue()
            #expect(listener.line() == "received nothing")
            try FileManager.default.removeItem(at: file.deletingLastPathComponent())
            try persister.persist(ProbeRecord(writer: "last", step: 1))
            #expect(listener.lines() == ["received last"])
            #expect(listener.wait() == 0)
        }
    }

    @Test func editByHandNotifiesListenersAndAnInvalidOneIsAnError() async throws {
        let file = folder.file("record.json")
        let received = Recorder<String>()
        let persister = Persister<ProbeRecord?>(
            key: file,
            storedBy: FileStorage(),
            transformer: JSONTransformer<ProbeRecord>(),
            onError: { _ in }
        )
        let listening = persister.addUpdateListener { result in
            switch result {
            case .success(let update): received.append(update.newValue?.writer ?? "nothing")
            case .failure(let error as PersistenceError): received.append("\(error.operation)")
            case .failure: received.append("an error of another type")
            }
        }
        let edits: [(text: String?, expected: String)] = [
            (#"{"writer":"one","step":1,"padding":""}"#, "one"),
            (#"{"writer":"#, "untransform"),
            (#"{"writer":"two","step":1,"padding":""}"#, "two"),
            (nil, "nothing"),
        ]
        for (index, edit) in edits.enumerated() {
            if let text = edit.text {
                try text.write(to: file, atomically: index % 2 == 0, encoding: .utf8)
            } else {
                try FileManager.default.removeItem(at: file)
            }
            #expect(await until { received.all.last == edit.expected })
            if edit.expected == "untransform" {
                #expect(try String(contentsOf: file, encoding: .utf8) == edit.text)
            }
        }
        withExtendedLifetime(listening) {}
    }

    @Test func afterAStormOfChangesTheLastValueIsRead() async throws {
        let file = folder.file("record.json")
        let persister = Persister<ProbeRecord?>(
            key: file,
            storedBy: FileStorage(),
            transformer: JSONTransformer<ProbeRecord>(),
            onError: { _ in }
        )
        let listening = persister.addUpdateListener { _ in }
        let rounds = RandomTestSettings.repetitions(200)
        let lines = try await onOwnThread {
            try SecondProcess(["file-storm", file.path, "\(rounds)"]).lines()
        }
        #expect(lines == ["ready", "done"])
        #expect(await until { persister.retrieveValue()?.step == rounds })
        withExtendedLifetime(listening) {}
    }
}
