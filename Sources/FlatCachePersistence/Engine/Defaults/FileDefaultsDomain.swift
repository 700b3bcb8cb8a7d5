#if !canImport(Darwin)
import FlatCache
import Foundation

/// A defaults domain in a file that plain `UserDefaults` calls use as well.
///
/// Foundation writes such a file in place and without a lock: two processes lose each other's
/// values, and a process that is killed leaves half a file behind. So this domain never writes
/// values through Foundation's cache. It locks out other processes, reads the file, applies its
/// changes, and replaces the file atomically. Then it makes Foundation discard its cache and read
/// the new file at its next use.
///
/// Before each write, and when a read finds unsaved values, Foundation saves the values that plain
/// calls have set: they are older than the values of the write. During this save, a copy of the
/// file exists. If the save fails or the process ends, the file is restored from the copy.
///
/// Two kinds of values are saved without a copy: values in other domains of the process, and values
/// that a plain call sets between the check for unsaved values and the save. Code that makes plain
/// calls accepts this risk.
///
/// ## Locks
/// The locks are acquired in this order: `lock`, while the file is read or written; the folder's
/// lock, between processes; Foundation's own locks. No thread waits for the folder's lock while it
/// holds `lock`: a write that finds the folder locked ends, and is repeated. The lock of
/// `knownCaches` is held only briefly. No user code is called with any of these locks held.
final class FileDefaultsDomain: DefaultsDomain, @unchecked Sendable {
    let path: String
    let timeout: Duration
    /// The maximum time that a read waits for other processes before it refreshes Foundation's
    /// cache or saves the values of plain calls.
    let readTimeout: Duration
    /// `true` if another process held the folder's lock at the last attempt to acquire it.
    private let isBlocked = Locked(false)
    private let clock: any PersistenceClock
    private let lock = WriterLock()
    private let knownCaches: Locked<[FoundationDefaultsCache]>
    // The other variables are guarded by `lock`.
    /// The contents of the file that Foundation's cache is at least as new as.
    var known: DefaultsFile?
    /// The values in Foundation's cache that couldn't be saved, so that reads don't try again.
    var unsavable: [[String: PropertyListValue]]?
    private var hasRemovedAbandoned = false
    private var monitor: FileWriteMonitor?
    /// The schedule of the attempts of reads to make Foundation discard its cache.
    private var reloading = RetrySchedule()

    init(
        _ cache: FoundationDefaultsCache,
        timeout: Duration = FolderLock.timeout,
        readTimeout: Duration = .zero,
        clock: any PersistenceClock = SystemClock()
    ) {
        path = cache.location.path
        self.timeout = timeout
        self.readTimeout = readTimeout
        self.clock = clock
        knownCaches = Locked([cache])
    }

    /// Foundation's caches of this file; appended to only with `lock` held.
    var caches: [FoundationDefaultsCache] { knownCaches.withLock { $0 } }

    var name: String { path }

    /// Adds another of Foundation's caches of the same file, unless it's known already.
    func add(_ cache: FoundationDefaultsCache) {
        withLock {
            guard !caches.contains(where: { $0.location == cache.location }) else { return }
            knownCaches.withLock { $0.append(cache) }
            known = nil
        }
    }

    func stored(_ value: PropertyListValue) -> PropertyListValue { value.withWholeSeconds }

    // MARK: Reading

    /// `false`, because plain calls don't announce changes on Linux.
    let announcesEveryChange = false

    func makeCheck(forKey key: String) -> DefaultsCheck? {
        PlainValueCheck(key: key, caches: knownCaches).isCurrent
    }

    func value(forKey key: String) throws -> PropertyListValue? {
        try withLock {
            let value = try refreshed().values[ExactString(key)]
            let hasFallback = FoundationDefaultsCache.hasFallback(forKey: key)
            for cache in caches where !cache.has(value, forKey: key, hasFallback: hasFallback) {
                let cached = try cache.value(forKey: key)
                guard cached != value else { continue }
                // Without the folder's lock, the refresh leaves Foundation's cache as it is. A
                // cached value that equals the known one isn't unsaved: it's older than the file.
                if let known, known.values[ExactString(key)] == cached { continue }
                // The value is unsaved, or another process has overwritten it. A save, if possible,
                // shows which.
                return if let saved = savedIfPossible() {
                    saved.values[ExactString(key)]
                } else {
                    cached
                }
            }
            return value
        }
    }

    func keys() throws -> [String] {
        try withLock {
            let found = try refreshed()
            let cached = try caches.map { try $0.values() }
                .filter { !found.holds($0) && known?.holds($0) != true }
            var keys = Set(found.values.keys)
            if !cached.isEmpty, let saved = savedIfPossible() {
                keys = Set(saved.values.keys)
            } else {
                for cachedKeys in cached.map({ Set($0.keys.map(ExactString.init)) }) {
                    keys.formUnion(cachedKeys)
                    keys.subtract(
                        found.values.keys.filter {
                            !cachedKeys.contains($0) && !found.hasEquivalents($0)
                        }
                    )
                }
            }
            return keys.map(\.key).sorted()
        }
    }

    /// Returns the current file, and refreshes Foundation's cache.
    private func refreshed() throws -> DefaultsFile {
        if let known, known.isCertain(try DefaultsFile.stamp(of: path)) { return known }
        let found = try load()
        if let known, known.data == found.data {
            self.known = found
            return found
        }
        if try hasUnsaved(found) { return savedIfPossible() ?? found }
        // Foundation also saves the values of all other domains, in place, so other writers must be
        // locked out. If they can't be, Foundation's cache isn't changed.
        let start = clock.elapsed
        guard reloading.isDue(at: start) else { return found }
        guard let lock = try? lockExistingFolder(timeout: min(timeout, readTimeout)) else {
            reloading.recordFailure(from: start, to: clock.elapsed)
            return found
        }
        defer { withExtendedLifetime(lock) {} }
        let locked = try loadLocked()
        do {
            return try synchronizeCaches(locked)
        } catch is UnsavedDefaultsError {
            return locked
        }
    }

    // MARK: Writing

    func synchronize() throws {
        try waiting(timeout, clock) {
            try withLock {
                // If there is nothing to save, don't create the folder.
                if try hasUnsaved(load()) { _ = try lockAndSave() }
            }
        }
    }

    func setValue(_ value: PropertyListValue?, forKey key: String) throws {
        try waiting(timeout, clock) { try setValueAtOnce(value, forKey: key) }
    }

    var patience: Duration { isBlocked.withLock { $0 } ? .zero : max(readTimeout, .moment) }

    func checkIsFree() throws { _ = try lockFolder() }

    func lockedFolder() throws -> String {
        let folder = AtomicFile.parent(of: path)
        try AtomicFile.createFolder(folder, isPrivate: true)
        return folder
    }

    func setValueAtOnce(_ value: PropertyListValue?, forKey key: String) throws {
        try withLock {
            try PropertyListError.within(.key(key)) { try write(value.map(stored), forKey: key) }
        }
    }

    private func write(_ value: PropertyListValue?, forKey key: String) throws {
        let lock = try lockFolder()
        defer { withExtendedLifetime(lock) {} }
        if !hasRemovedAbandoned {
            AtomicFile.removeAbandoned(beside: path)
            AtomicFile.removeAbandoned(beside: copyPath)
            hasRemovedAbandoned = true
        }
        var current = try save()
        if current.values[ExactString(key)] != value {
            current = try current.replaced(with: [ExactString(key): value], at: path)
        }
        // A failure to save values set meanwhile by plain calls doesn't fail this write.
        do { _ = try synchronizeCaches(current) } catch is UnsavedDefaultsError {}
    }

    // MARK: The file

    /// Locks out other writers in the folder, and creates the folder if it doesn't exist.
    ///
    /// - Parameter timeout: The maximum time to wait for other processes.
    /// - Throws: ``FileError``, for example if another process holds the lock.
    func lockFolder(timeout: Duration = .zero) throws -> FolderLock {
        _ = try lockedFolder()
        return try lockExistingFolder(timeout: timeout)
    }

    /// Locks out other writers in the folder, provided that the folder exists.
    private func lockExistingFolder(timeout: Duration) throws -> FolderLock {
        do {
            let folder = AtomicFile.parent(of: path)
            let lock = try FolderLock(folder: folder, file: path, timeout: timeout, clock: clock)
            isBlocked.withLock { $0 = false }
            return lock
        } catch {
            isBlocked.withLock { $0 = error.isBusy }
            throw error
        }
    }

    /// Reads the file without the folder's lock; other processes may be writing it.
    ///
    /// - Throws: ``FileError`` or ``DefaultsFileError``.
    private func load() throws -> DefaultsFile {
        do {
            return try find()
        } catch let error as PropertyListError {
            do {
                let lock = try lockExistingFolder(timeout: min(timeout, readTimeout))
                defer { withExtendedLifetime(lock) {} }
                return try loadLocked()
            } catch let busy where busy.isBusy {
                // The process that holds the lock may be writing the file.
                if let known { return known }
                throw DefaultsFileError(path: path, underlying: error)
            }
        }
    }

    /// Reads the file while the folder is locked.
    ///
    /// - Parameter acceptsEmpty: `true` if a file without bytes is removed, and counts as a missing
    ///   one.
    /// - Throws: ``FileError`` or ``DefaultsFileError``.
    func loadLocked(acceptsEmpty: Bool = true) throws -> DefaultsFile {
        var attempts = 0
        while true {
            do {
                return try find()
            } catch let error as PropertyListError {
                // A writer without the lock, such as Foundation, may be writing the file.
                attempts += 1
                if attempts < Self.attempts, DefaultsFile.mayBeBeingWritten(path) {
                    clock.pause(for: .milliseconds(5))
                } else if try restoreCopy() {
                    continue
                } else if try !acceptsEmpty || !removeEmpty() {
                    throw DefaultsFileError(path: path, underlying: error)
                }
            }
        }
    }

    /// The maximum number of reads of a file that can't be parsed while another process may be
    /// writing it, at intervals of 5 milliseconds.
    private static let attempts = 20

    private func find() throws -> DefaultsFile {
        let stamp = try DefaultsFile.stamp(of: path)
        #if TestHooks
        Perturbation.perturb()
        #endif
        let data = try AtomicFile.read(path)
        if let known, known.data == data { return known.found(again: stamp) }
        return try DefaultsFile(data, stamp: stamp)
    }

    /// Starts to watch the file, for all keys; a ``DefaultsWatch``.
    ///
    /// The watch starts with the first key and lasts as long as the domain, because each access of
    /// a container's property watches a key for a moment only. The first key whose value is read
    /// after an event reads the file, and the other keys use the domain's copy.
    func watch(
        _ key: String,
        _ onOutdated: @escaping @Sendable () -> Void,
        _ onChange: @escaping @Sendable (String?) -> Void
    ) -> Disposable? {
        withLock {
            let file = URL(fileURLWithPath: path, isDirectory: false)
            if monitor == nil { monitor = FileWriteMonitor(url: file) { _ in onChange(nil) } }
        }
        return nil
    }

    private func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
        lock.acquire()
        defer { lock.release() }
        return try body()
    }
}
#endif
