#if !canImport(Darwin)
import FlatCache
import Foundation

/// A defaults domain that lies in a file, and that plain `UserDefaults` calls use as well.
///
/// Foundation writes such a file in place and under no lock: two processes lose each other's values, and
/// one that is killed leaves half a file behind. So values never go through Foundation's memory. The file
/// is read, changed, and replaced in one step, while other processes are locked out; then Foundation is
/// made to forget what it has in memory, and reads the new file when it is next asked.
///
/// What plain calls have set and not saved is saved by Foundation, before anything else: it is older than
/// what is written then. For that moment there is a copy of the file, from which it is restored if that
/// goes wrong or the process ends just then.
///
/// There is none of what Foundation saves with it: other domains of the process, and what is set between
/// the question whether anything is and the save. Whoever makes plain calls takes that upon them.
///
/// ## Locks
/// In the order in which they are taken: `turn`, for as long as reading or writing the file takes;
/// the folder's, between processes; Foundation's own. Those of `requests` and `knownMemories` are
/// held for moments only. No code of a user's is called under any of them.
final class FileDefaultsDomain: DefaultsDomain, @unchecked Sendable {
    let path: String
    /// The longest time for which a write waits for other processes.
    private let patience: Duration
    /// The longest time for which a read does where it can do without.
    private static let readPatience = Duration.seconds(2)
    private let turn = WriterLock()
    private let requests = Guarded<[DefaultsRequest]>([])
    private let knownMemories: Guarded<[DefaultsMemory]>
    // The rest is guarded by `turn`.
    /// The file whose values Foundation's memory has at least.
    var known: DefaultsFile?
    /// What Foundation has in memory and could not save, so that no read tries that again.
    var unsavable: [[String: PropertyListValue]]?
    private var hasCleaned = false
    /// The attempts of reads to have Foundation forget its memory.
    private var forgetting = RetrySchedule()

    init(_ memory: DefaultsMemory, patience: Duration = FolderLock.patience) {
        path = memory.location.path
        self.patience = patience
        knownMemories = Guarded([memory])
    }

    /// Foundation's memories of this file; changed under `turn`.
    var memories: [DefaultsMemory] { knownMemories.withLock { $0 } }

    var name: String { path }

    var file: URL? { URL(fileURLWithPath: path, isDirectory: false) }

    /// Takes over another memory of Foundation's for the same file, if it is not known yet.
    func add(_ memory: DefaultsMemory) {
        inTurn {
            guard !memories.contains(where: { $0.location == memory.location }) else { return }
            knownMemories.withLock { $0.append(memory) }
            known = nil
        }
    }

    func stored(_ value: PropertyListValue) -> PropertyListValue { value.withWholeSeconds }

    // MARK: Reading

    /// `false`: plain calls announce nothing on Linux.
    let announcesEveryChange = false

    func makeCheck(forKey key: String) -> (any DefaultsCheck)? {
        PlainValueCheck(key: key, memories: knownMemories)
    }

    func value(forKey key: String) throws -> PropertyListValue? {
        try inTurn {
            let value = try refreshed().value(forKey: key)
            let hasFallback = DefaultsMemory.hasFallback(forKey: key)
            for memory in memories where !memory.has(value, forKey: key, hasFallback: hasFallback) {
                let inMemory = try memory.value(forKey: key)
                guard inMemory != value else { continue }
                // Either it isn't saved, or it was and has been overwritten. Saving tells, if that is
                // possible.
                return if let saved = savedIfPossible() { saved.values[key] } else { inMemory }
            }
            return value
        }
    }

    func keys() throws -> [String] {
        try inTurn {
            let values = try refreshed().values
            let inMemory = try memories.map { try $0.values() }.filter { $0 != values }
            guard !inMemory.isEmpty else { return values.keys.sorted() }
            if let saved = savedIfPossible() { return saved.values.keys.sorted() }
            var keys = Set(values.keys)
            for memory in inMemory {
                keys.formUnion(memory.keys)
                keys.subtract(values.keys.filter { memory[$0] == nil })
            }
            return keys.sorted()
        }
    }

    /// Returns the file as it is now, and sees to it that Foundation's memory is as new.
    private func refreshed() throws -> DefaultsFile {
        if let known, known.isCertain(try DefaultsFile.stamp(of: path)) { return known }
        let found = try load()
        if let known, known.data == found.data {
            self.known = found
            return found
        }
        if try hasUnsaved(found) { return savedIfPossible() ?? found }
        // Foundation saves what has been set in any other domain as well, in place, so that its writers
        // have to be locked out. Where they can't be, its memory stays as it is.
        guard forgetting.isDue() else { return found }
        let start = ContinuousClock.now
        let patience = min(patience, Self.readPatience)
        guard let lock = try? lockExistingFolder(patience: patience) else {
            forgetting.noteFailure(from: start, to: .now)
            return found
        }
        defer { withExtendedLifetime(lock) {} }
        let locked = try loadLocked()
        do {
            return try forgetMemory(locked)
        } catch is UnsavedDefaultsError {
            return locked
        }
    }

    // MARK: Writing

    func synchronize() throws {
        try inTurn {
            // Where there is nothing to save, no folder has to be made.
            if try hasUnsaved(load()) { _ = try lockAndSave() }
        }
    }

    func setValue(_ value: PropertyListValue?, forKey key: String) throws {
        let request = DefaultsRequest(key: key, value: value.map(stored))
        requests.withLock { $0.append(request) }
        // Whoever comes first writes for all who wait.
        try inTurn {
            if request.result == nil { commit(takeRequests()) }
            try request.result?.get()
        }
    }

    private func takeRequests() -> [DefaultsRequest] {
        requests.withLock { requests in
            defer { requests = [] }
            return requests
        }
    }

    private func commit(_ requests: [DefaultsRequest]) {
        do {
            try write(requests)
            for request in requests { request.result = .success(()) }
        } catch  where requests.count > 1 && error is PropertyListError {
            // One of them cannot be stored, which is no reason for the others.
            for request in requests { commit([request]) }
        } catch let error as PropertyListError {
            for request in requests {
                let located = PropertyListError(
                    error.reason,
                    path: [.key(request.key)] + error.path
                )
                request.result = .failure(located)
            }
        } catch {
            for request in requests { request.result = .failure(error) }
        }
    }

    private func write(_ requests: [DefaultsRequest]) throws {
        let lock = try lockFolder()
        defer { withExtendedLifetime(lock) {} }
        if !hasCleaned {
            AtomicFile.removeAbandoned(besides: path)
            AtomicFile.removeAbandoned(besides: copyPath)
            hasCleaned = true
        }
        var current = try save()
        var changes: [String: PropertyListValue?] = [:]
        for request in requests { changes[request.key] = .some(request.value) }
        changes = try changes.filter { try current.value(forKey: $0.key) != $0.value }
        if !changes.isEmpty { current = try current.replaced(with: changes, at: path) }
        // What has been set meanwhile is no part of this, and its own matter.
        do { _ = try forgetMemory(current) } catch is UnsavedDefaultsError {}
    }

    // MARK: The file

    /// Locks out all others who write in the folder, which is made if it is not there.
    func lockFolder() throws -> FolderLock {
        let folder = AtomicFile.parent(of: path)
        try AtomicFile.createFolder(folder, isPrivate: true)
        return try FolderLock(folder: folder, file: path, patience: patience)
    }

    /// Locks out all others who write in the folder, which must be there.
    private func lockExistingFolder(patience: Duration) throws -> FolderLock {
        try FolderLock(folder: AtomicFile.parent(of: path), file: path, patience: patience)
    }

    /// Reads the file while others may write it.
    ///
    /// - Throws: ``FileError`` or ``DefaultsFileError``.
    private func load() throws -> DefaultsFile {
        do {
            return try find()
        } catch is PropertyListError {
            let lock = try lockExistingFolder(patience: patience)
            defer { withExtendedLifetime(lock) {} }
            return try loadLocked()
        }
    }

    /// Reads the file while the folder is locked.
    ///
    /// - Throws: ``FileError`` or ``DefaultsFileError``.
    func loadLocked() throws -> DefaultsFile {
        var attempts = 0
        while true {
            do {
                return try find()
            } catch let error as PropertyListError {
                // Somebody who takes no lock may be writing the file, as Foundation does.
                attempts += 1
                if attempts < Self.attempts, DefaultsFile.mayBeBeingWritten(path) {
                    usleep(5000)
                } else if try restoreCopy() {
                    continue
                } else if try !removeEmpty() {
                    throw DefaultsFileError(path: path, underlying: error)
                }
            }
        }
    }

    /// How often a file is read that cannot be parsed, while it may be being written; at intervals of 5
    /// milliseconds.
    private static let attempts = 20

    private func find() throws -> DefaultsFile {
        let stamp = try DefaultsFile.stamp(of: path)
        let data = try AtomicFile.read(path)
        if let known, known.data == data { return known.found(again: stamp) }
        return try DefaultsFile(data, stamp: stamp)
    }

    private func inTurn<Result>(_ body: () throws -> Result) rethrows -> Result {
        turn.acquire()
        defer { turn.release() }
        return try body()
    }
}

/// A value that waits to be written.
private final class DefaultsRequest: @unchecked Sendable {
    let key: String
    let value: PropertyListValue?
    // Guarded by the domain's `turn`.
    var result: Result<Void, any Error>?

    init(key: String, value: PropertyListValue?) {
        self.key = key
        self.value = value
    }
}
#endif
