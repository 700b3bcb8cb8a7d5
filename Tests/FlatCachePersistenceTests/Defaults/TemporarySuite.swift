#if os(Linux)
import Foundation
import Testing

@testable import FlatCachePersistence

/// A suite of defaults that no other test uses, whose files go with it.
final class TemporarySuite: Sendable {
    let name = "FlatCacheTests.\(UUID().uuidString)"
    private let shared: SharedDefaults
    var defaults: UserDefaults { shared.object }
    let location: DefaultsLocation

    init() throws {
        location = DefaultsLocation(suiteName: name)
        shared = SharedDefaults(try #require(UserDefaults(suiteName: name)))
    }

    deinit {
        // What has been set and not saved would be saved when any test next saves anything.
        for key in defaults.persistentDomain(forName: name).map({ Array($0.keys) }) ?? [] {
            defaults.removeObject(forKey: key)
        }
        defaults.synchronizeInTurn()
        for entry in entries { try? FileManager.default.removeItem(atPath: "\(folder)/\(entry)") }
    }

    var path: String { location.path }
    var folder: String { AtomicFile.parent(of: path) }

    /// The names of all files in the folder that have to do with the suite.
    var entries: [String] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return all.filter { $0.contains(name) }.sorted()
    }

    /// A domain object that has nothing in common with others but the file, and Foundation's
    /// memory.
    func makeDomain() -> FileDefaultsDomain {
        FileDefaultsDomain(DefaultsMemory(location: location, defaults: defaults))
    }

    /// What is in the file, read by other means.
    func file() throws -> [String: PropertyListValue] {
        guard let data = FileManager.default.contents(atPath: path) else { return [:] }
        guard case .dictionary(let values) = try PropertyListValue(propertyListData: data) else {
            return [:]
        }
        return values
    }

    /// Puts a file there as another process would that uses this module: in its turn.
    ///
    /// Foundation knows nothing of it in this process.
    ///
    /// - Parameters:
    ///   - values: What is in the file then.
    ///   - format: Its format.
    ///   - prepare: What happens in the same turn, before.
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
        let lock = try FolderLock(folder: folder)
        defer { withExtendedLifetime(lock) {} }
        prepare()
        try data.write(to: URL(fileURLWithPath: path), options: .atomic)
    }
}
#endif
