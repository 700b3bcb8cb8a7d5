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
