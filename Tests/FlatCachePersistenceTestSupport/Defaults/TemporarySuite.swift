#if os(Linux)
import FlatCacheTesting
import Foundation
import TestSupport
import Testing

@testable import FlatCachePersistence

/// A suite of defaults that no other test uses, and that deletes its files when it ends.
final class TemporarySuite: Sendable {
    let name = "FlatCacheTests.\(UUID().uuidString)"
    private let shared: SharedDefaults
    var defaults: UserDefaults { shared.object }
    let location: DefaultsLocation

    init() throws {
        location = DefaultsLocation(suiteName: name)
        shared = SharedDefaults(try #require(UserDefaults(suiteName: name)))
        Self.prepareDomain(at: location, defaults)
    }

    /// Creates the domain that all storages at a location use, unless there is one.
    ///
    /// On a busy machine, it waits longer for the folder's lock than the domain that a storage
    /// creates.
    static func prepareDomain(at location: DefaultsLocation, _ defaults: UserDefaults) {
        _ = SharedDefaultsDomain.instance(location.path) {
            let domain = FileDefaultsDomain(
                FoundationDefaultsCache(location: location, defaults: defaults),
                timeout: hangLimit,
                readTimeout: hangLimit
            )
            return SharedDefaultsDomain(domain, watch: domain.watch)
        }
    }

    deinit {
        // Otherwise, the next save of any test would save the unsaved values of this one.
        for key in defaults.persistentDomain(forName: name).map({ Array($0.keys) }) ?? [] {
            defaults.removeObject(forKey: key)
        }
        defaults.synchronizeExclusively(timeout: hangLimit)
        for entry in entries { try? FileManager.default.removeItem(atPath: "\(folder)/\(entry)") }
    }

    var path: String { location.path }
    var folder: String { AtomicFile.parent(of: path) }

    /// The names of all files in the folder that belong to the suite.
    var entries: [String] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return all.filter { $0.contains(name) }.sorted()
    }

    /// Creates a domain object that shares only the file and Foundation's cache with others.
    ///
    /// - Parameters:
    ///   - clock: The clock of its pauses. A manual clock advances with each, so they take no time.
    ///   - timeout: The maximum time of a wait for the folder's lock. All tests use the folder, so
    ///     another test may hold the lock for long on a busy machine.
    func makeDomain(
        clock: any PersistenceClock = SystemClock(),
        timeout: Duration? = nil
    ) -> FileDefaultsDomain {
        let timeout = timeout ?? (clock is ManualClock ? hangLimit * 1000 : hangLimit)
        return FileDefaultsDomain(
            FoundationDefaultsCache(location: location, defaults: defaults),
            timeout: timeout,
            readTimeout: timeout,
            clock: clock
        )
    }

    /// The contents of the file, read without the module.
    func file() throws -> [String: PropertyListValue] {
        guard let data = FileManager.default.contents(atPath: path) else { return [:] }
        guard case .dictionary(let values) = try PropertyListValue(propertyListData: data) else {
            return [:]
        }
        return values
    }

    /// Replaces the file as another process that uses this module would, under the lock.
    ///
    /// Foundation in this process isn't notified.
    ///
    /// - Parameters:
    ///   - values: The contents of the file.
    ///   - format: The format of the file.
    ///   - prepare: A closure that runs first, under the same lock.
    func replaceFile(
        _ values: [String: PropertyListValue],
        format: PropertyListSerialization.PropertyListFormat = .xml,
        after prepare: () -> Void = {}
    ) throws {
        let data = try PropertyListValue.dictionary(values).propertyListData(format: format)
        try replaceFile(data, after: prepare)
    }

    func replaceFile(_ data: Data, after prepare: () -> Void = {}) throws {
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true
        )
        let lock = try FolderLock(folder: folder, timeout: hangLimit)
        defer { withExtendedLifetime(lock) {} }
        prepare()
        try data.write(to: URL(fileURLWithPath: path), options: .atomic)
    }
}
#endif
