import FlatCache
import Foundation

/// The documented calls of `UserDefaults` through which a domain is read and written.
protocol PlainDefaults: Sendable {
    var identity: ObjectIdentifier { get }

    func object(forKey key: String) -> Any?
    func set(_ value: Any, forKey key: String)
    func removeObject(forKey key: String)
    func persistentDomain(forName name: String) -> [String: Any]?
    func volatileDomain(forName name: String) -> [String: Any]
    func dictionaryRepresentation() -> [String: Any]

    /// Saves the values that have been set; returns `false` if they could not be saved.
    func synchronizeExclusively(timeout: Duration) -> Bool
}

extension SharedDefaults: PlainDefaults {
    var identity: ObjectIdentifier { ObjectIdentifier(object) }

    func object(forKey key: String) -> Any? { object.object(forKey: key) }
    func set(_ value: Any, forKey key: String) { object.set(value, forKey: key) }
    func removeObject(forKey key: String) { object.removeObject(forKey: key) }
    func synchronizeExclusively(timeout: Duration) -> Bool {
        object.synchronizeExclusively(timeout: timeout)
    }

    func persistentDomain(forName name: String) -> [String: Any]? {
        object.persistentDomain(forName: name)
    }

    func volatileDomain(forName name: String) -> [String: Any] {
        object.volatileDomain(forName: name)
    }

    func dictionaryRepresentation() -> [String: Any] { object.dictionaryRepresentation() }
}

/// A `UserDefaults` object that several threads use.
struct SharedDefaults: @unchecked Sendable {
    // The object is constant and thread-safe according to its documentation, although Foundation on
    // Linux doesn't declare it `Sendable`. (On Linux, `register(defaults:)` changes its values
    // without a lock: call it early.)
    let object: UserDefaults

    init(_ object: UserDefaults) {
        self.object = object
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
