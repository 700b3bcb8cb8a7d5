import FlatCache
import Foundation

/// A defaults domain that is read and written only through plain `UserDefaults` calls.
///
/// That suffices on Apple's systems, where a system service writes the domains of all processes.
///
/// The domain's own values come from `persistentDomain(forName:)`. That method omits registered
/// defaults, arguments and the global domain. If the name isn't known, or the system returns no
/// domain for it, a value that equals the fallback counts as not stored.
final class PlainDefaultsDomain: DefaultsDomain {
    let defaults: SharedDefaults
    let timeout: Duration
    private let knownName: Locked<String?>

    init(
        _ defaults: SharedDefaults,
        domainName: String?,
        timeout: Duration = FolderLock.timeout
    ) {
        self.defaults = defaults
        self.timeout = timeout
        knownName = Locked(domainName)
    }

    /// The name of the domain, or `nil` until it is known.
    var domainName: String? {
        get { knownName.withLock { $0 } }
        set { knownName.withLock { $0 = newValue } }
    }

    var name: String { domainName ?? "of an object" }

    #if canImport(Darwin)
    let announcesEveryChange = true
    #else
    let announcesEveryChange = false
    #endif

    func makeCheck(forKey key: String) -> DefaultsCheck? { nil }

    func stored(_ value: PropertyListValue) -> PropertyListValue { value }

    func value(forKey key: String) throws -> PropertyListValue? {
        // If the dictionary holds another form of the key, it may lack this one.
        let own = ownValues.flatMap { values in
            values.index(forKey: key) == nil || values.value(forExactKey: key) != nil ? values : nil
        }
        let object = own.map { $0.value(forExactKey: key) } ?? defaults.object(forKey: key)
        guard let object else { return nil }
        let value = try PropertyListValue(propertyList: object)
        if own == nil, fallbacks.contains(where: { isStored(value, in: $0, key) }) { return nil }
        return value
    }

    private var ownValues: [String: Any]? {
        domainName.flatMap { defaults.persistentDomain(forName: $0) }
    }

    /// The values that plain calls return for keys without values in the domain.
    private var fallbacks: [[String: Any]] {
        [
            defaults.volatileDomain(forName: UserDefaults.registrationDomain),
            defaults.volatileDomain(forName: UserDefaults.argumentDomain),
            defaults.persistentDomain(forName: UserDefaults.globalDomain) ?? [:],
        ]
    }

    private func isStored(
        _ value: PropertyListValue,
        in values: [String: Any],
        _ key: String
    ) -> Bool {
        guard let object = values.value(forExactKey: key) else { return false }
        return (try? PropertyListValue(propertyList: object)) == value
    }

    func setValue(_ value: PropertyListValue?, forKey key: String) throws {
        guard let value else {
            defaults.removeObject(forKey: key)
            return try save()
        }
        // Foundation saves any value, even if it can't read the resulting file again.
        _ = try value.withWholeSeconds.propertyListData(format: .xml)
        defaults.set(value.propertyList, forKey: key)
        try save()
    }

    private func save() throws {
        #if !canImport(Darwin)
        try synchronize()
        #endif
    }

    func lockedFolder() throws -> String {
        // Processes that share a suite share the container of its group.
        #if canImport(Darwin)
        let group = domainName.flatMap {
            FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: $0)
        }
        return group?.path ?? NSHomeDirectory()
        #else
        return NSHomeDirectory()
        #endif
    }

    func synchronize() throws {
        guard defaults.synchronizeExclusively(timeout: timeout) else {
            throw UnsavedDefaultsError(name: name)
        }
    }

    func keys() throws -> [String] {
        if let ownValues { return ownValues.keys.sorted() }
        let keys = Set(defaults.dictionaryRepresentation().keys)
        return keys.subtracting(fallbacks.flatMap(\.keys)).sorted()
    }
}

/// An error for values of plain calls that can't be saved.
struct UnsavedDefaultsError: Error, CustomStringConvertible {
    let name: String
    /// The key of a value that isn't saved because it would make the file unreadable; `nil` for any
    /// other cause.
    var unreadableKey: String?

    var description: String {
        let reason =
            unreadableKey.map {
                ": the value of the key \($0.debugDescription) can't be read again; remove it"
            } ?? ""
        return "UserDefaults can't save the domain \(name)\(reason)"
    }
}

/// A `UserDefaults` object that several threads use, with the documented calls through which a
/// domain is read and written.
///
/// Tests replace the calls.
class SharedDefaults: @unchecked Sendable {
    // The object is constant and thread-safe according to its documentation, although Foundation on
    // Linux doesn't declare it `Sendable`. (On Linux, `register(defaults:)` changes its values
    // without a lock: call it early.)
    let object: UserDefaults

    init(_ object: UserDefaults) {
        self.object = object
    }

    var identity: ObjectIdentifier { ObjectIdentifier(object) }

    func object(forKey key: String) -> Any? { object.object(forKey: key) }
    func set(_ value: Any, forKey key: String) { object.set(value, forKey: key) }
    func removeObject(forKey key: String) { object.removeObject(forKey: key) }

    func persistentDomain(forName name: String) -> [String: Any]? {
        object.persistentDomain(forName: name)
    }

    func volatileDomain(forName name: String) -> [String: Any] {
        object.volatileDomain(forName: name)
    }

    func dictionaryRepresentation() -> [String: Any] { object.dictionaryRepresentation() }

    /// Saves the values that have been set; returns `false` if they could not be saved.
    func synchronizeExclusively(timeout: Duration) -> Bool {
        object.synchronizeExclusively(timeout: timeout)
    }
}

extension UserDefaults {
    /// Saves as `synchronize()` does, but locks out all writers of defaults that use this module.
    ///
    /// On Linux, Foundation saves all domains of the process in place whenever it saves one of
    /// them.
    ///
    /// - Parameter timeout: The maximum time of a wait for another writer.
    /// - Returns: The result of `synchronize()`, or `false` if the folder couldn't be locked.
    @discardableResult
    func synchronizeExclusively(timeout: Duration = FolderLock.timeout) -> Bool {
        #if canImport(Darwin)
        return synchronize()
        #else
        let folder = Self.folder
        try? AtomicFile.createFolder(folder, isPrivate: true)
        guard let lock = try? FolderLock(folder: folder, timeout: timeout) else { return false }
        let isSaved = synchronize()
        _ = consume lock
        return isSaved
        #endif
    }

    #if !canImport(Darwin)
    /// The folder of Foundation's files, fixed by their first use.
    private static let folder = AtomicFile.parent(of: DefaultsLocation(suiteName: nil).path)
    #endif
}
