import FlatCachePersistence
import Foundation

/// The commands of the probe for a domain of user defaults.
struct DefaultsProbe {
    private let suite: String
    private let storage: UserDefaultsStorage
    private let key: String

    init(_ words: Words) throws {
        suite = try words.word(1)
        key = try words.word(2)
        guard let storage = UserDefaultsStorage(suiteName: suite) else {
            throw ProbeFailure(reason: "no such suite: \(suite)")
        }
        self.storage = storage
    }

    private func persister(_ key: String) -> Persister<Int?> {
        Persister(key: key, storedBy: storage)
    }

    /// Makes a write, and repeats it if the wait for the lock of the folder was too long.
    ///
    /// All tests write in the folder, so that on a busy machine the wait can reach its limit.
    private func patiently(_ write: () throws -> Void) throws {
        for _ in 0..<60 {
            do {
                return try write()
            } catch let error as PersistenceError {
                guard (error.underlying as? FileError)?.code == ETIMEDOUT else { throw error }
            }
        }
        try write()
    }

    /// Writes numbers under a key of this process and under the shared key, and reads both after
    /// each.
    func hammer(count: Int, number: Int) throws {
        let (own, shared) = (persister("\(key).\(number)"), persister(key))
        say("ready")
        var wrong = 0
        for step in 1...count {
            let value = step * 10 + number
            try patiently { try own.persist(value) }
            if try own.retrieveValueOrThrow() != value { wrong += 1 }
            try patiently { try shared.persist(value) }
            if try shared.retrieveValueOrThrow() == nil { wrong += 1 }
        }
        say("wrong \(wrong)")
        // Waits until all processes have written, and prints the final values.
        _ = readLine()
        let stored = try storage.retrieveValue(for: key)
        say("end \(stored.map { "\($0)" } ?? "nothing")")
        say("memory \(shared.retrieveValue() ?? -1)")
    }

    /// Writes large strings, each of a single letter, until the process is killed.
    func writeForever(size: Int) throws {
        let texts = ["a", "b", "c"].map {
            PropertyListValue.string(String(repeating: $0, count: size))
        }
        try patiently { try storage.storeValue(texts[0], key: key) }
        say("ready")
        while true {
            for text in texts { try patiently { try storage.storeValue(text, key: key) } }
        }
    }

    /// Writes more than a file size limit allows, as on a full disk.
    func writeLimited(bytes: Int) throws {
        try limitFileSize(to: bytes)
        do {
            try storage.storeValue(.string(String(repeating: "x", count: bytes * 2)), key: key)
            say("stored")
        } catch let error as PersistenceError {
            say("\(error.operation): \(error)")
        }
        say("read \(try storage.retrieveValue(for: key).map { "\($0)" } ?? "nothing")")
    }

    /// Increments a number.
    func update(count: Int) throws {
        try runBlocking { [number = persister(key)] in
            for _ in 0..<count {
                try await number.updateShared(timeout: .seconds(600)) { $0 = ($0 ?? 0) + 1 }
            }
        }
        say("updated")
    }

    /// Writes as a program that doesn't use FlatCache.
    func writePlainly(_ value: Int) throws {
        let defaults = UserDefaults(suiteName: suite)
        defaults?.set(value, forKey: key)
        guard defaults?.synchronize() == true else {
            throw ProbeFailure(reason: "not synchronized")
        }
        say("stored")
    }
}
