import FlatCache
import FlatCachePersistence
import Foundation

/// The commands of the probe for a file.
struct FileProbe {
    private let url: URL
    private let persister: Persister<ProbeRecord?>

    init(_ words: Words) throws {
        url = URL(fileURLWithPath: try words.word(1))
        persister = Persister(
            key: url,
            storedBy: FileStorage(durability: .unsynchronized),
            transformer: JSONTransformer<ProbeRecord>(),
            onError: { _ in }
        )
    }

    /// Writes numbered records, reads after each, and prints the number of reads that found no
    /// record.
    func hammer(count: Int, label: String) throws {
        say("ready")
        var unread = 0
        for step in 1...count {
            try persister.persist(ProbeRecord(writer: label, step: step))
            if try persister.retrieveValueOrThrow() == nil { unread += 1 }
        }
        say("unread \(unread)")
        // Waits until all processes have written, and prints the final values.
        _ = readLine()
        let storage = FileStorage(durability: .unsynchronized)
        let data = try storage.retrieveValue(for: url)
        say("end \(data.map { String(decoding: $0, as: UTF8.self) } ?? "nothing")")
        say("memory \(persister.retrieveValue().map { "\($0.writer) \($0.step)" } ?? "nothing")")
    }

    /// Writes large contents, each of a single letter, until the process is killed.
    func writeForever(size: Int) throws {
        let contents = "abcdefgh".utf8.map { Data(repeating: $0, count: size) }
        try FileStorage(durability: .unsynchronized).storeValue(contents[0], key: url)
        say("ready")
        while true {
            for data in contents {
                try FileStorage(durability: .unsynchronized).storeValue(data, key: url)
            }
        }
    }

    /// Writes more than a file size limit allows, as on a full disk.
    func writeLimited(bytes: Int) throws {
        try limitFileSize(to: bytes)
        let padding = String(repeating: "x", count: bytes * 2)
        try tryToPersist(ProbeRecord(writer: "limited", step: 1, padding: padding))
    }

    /// Writes as a user without permission.
    func writeUnprivileged() throws {
        if getuid() == 0, setuid(65534) != 0 { throw ProbeFailure(reason: "setuid: \(errno)") }
        try tryToPersist(ProbeRecord(writer: "unprivileged", step: 1))
    }

    /// Stores texts in a file that can't be replaced, with and without the option to write it in
    /// place.
    func writeInPlace() throws {
        if getuid() == 0, CommandLine.arguments.contains("unprivileged"), setuid(65534) != 0 {
            throw ProbeFailure(reason: "setuid: \(errno)")
        }
        for storage in [FileStorage(), FileStorage(writesInPlaceIfNecessary: true)] {
            for text in ["long text", "short"] {
                do {
                    try storage.storeValue(Data(text.utf8), key: url)
                    say("stored")
                } catch {
                    say("\(error)")
                }
            }
        }
    }

    private func tryToPersist(_ record: ProbeRecord) throws {
        let before = persister.retrieveValue()
        do {
            _ = try persister.retrieveValueOrThrow()
            say("read")
        } catch {
            say("\(error.operation): \(error)")
        }
        do {
            try persister.persist(record)
            say("stored")
        } catch {
            say("\(error.operation): \(error)")
        }
        say(persister.retrieveValue() == before ? "as before" : "changed")
    }

    /// Increments the number of the record.
    func update(count: Int) throws {
        try runBlocking { [persister] in
            for _ in 0..<count {
                try await persister.updateShared(timeout: .seconds(600)) {
                    $0 = ProbeRecord(writer: "updated", step: ($0?.step ?? 0) + 1)
                }
            }
        }
        say("updated")
    }

    /// Writes in place, replaces, removes and recreates the file, and ends with a known value.
    func storm(rounds: Int) throws {
        say("ready")
        let folder = url.deletingLastPathComponent()
        for round in 1...rounds {
            let data = try JSONEncoder().encode(ProbeRecord(writer: "storm", step: round))
            switch round % 4 {
            case 0:
                let file = try FileHandle(forWritingTo: url)
                try file.truncate(atOffset: 0)
                try file.write(contentsOf: data)
                try file.close()
            case 1:
                let other = folder.appending(path: "storm.tmp")
                try data.write(to: other)
                guard rename(other.path, url.path) == 0 else {
                    throw ProbeFailure(reason: "rename: \(errno)")
                }
            case 2:
                try FileManager.default.removeItem(at: url)
                try data.write(to: url)
            default:
                try data.write(to: url, options: .atomic)
            }
        }
        say("done")
    }

    /// Prints each value that it receives, up to the last one.
    func echo(until last: String) throws {
        let hasEnded = DispatchSemaphore(value: 0)
        let listening = persister.addUpdateListener { result in
            switch result {
            case .success(let update):
                say("received \(update.newValue?.writer ?? "nothing")")
                if update.newValue?.writer == last { hasEnded.signal() }
            case .failure(let error):
                say("failure \(error)")
            }
        }
        say("ready")
        hasEnded.wait()
        listening.dispose()
    }
}

struct ProbeFailure: Error {
    let reason: String
}

/// Limits the size of files, so that larger ones fail as on a full disk.
func limitFileSize(to bytes: Int) throws {
    signal(SIGXFSZ, SIG_IGN)
    var limit = rlimit(rlim_cur: rlim_t(bytes), rlim_max: rlim_t(bytes))
    #if canImport(Glibc)
    let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    #else
    let resource = RLIMIT_FSIZE
    #endif
    guard setrlimit(resource, &limit) == 0 else {
        throw ProbeFailure(reason: "setrlimit: \(errno)")
    }
}
