import Foundation

/// A defaults domain that is reached through plain `UserDefaults` calls alone.
///
/// On Apple's systems that is all it takes: a service of the system writes the domains of all processes.
final class PlainDefaultsDomain: DefaultsDomain {
    let name: String
    private let shared: SharedDefaults
    private var defaults: UserDefaults { shared.object }

    init(_ defaults: UserDefaults, name: String) {
        shared = SharedDefaults(defaults)
        self.name = name
    }

    var file: URL? { nil }

    #if canImport(Darwin)
    let announcesEveryChange = true
    #else
    let announcesEveryChange = false
    #endif

    func makeCheck(forKey key: String) -> (any DefaultsCheck)? { nil }

    func stored(_ value: PropertyListValue) -> PropertyListValue { value }

    func value(forKey key: String) throws -> PropertyListValue? {
        guard let object = defaults.object(forKey: key) else { return nil }
        let value = try PropertyListValue(propertyList: object)
        // The object may be a registered default, which nobody has stored. There is no call that tells;
        // so what equals the registered default counts as not stored.
        let registered = defaults.volatileDomain(forName: UserDefaults.registrationDomain)[key]
        if let registered, try PropertyListValue(propertyList: registered) == value { return nil }
        return value
    }

    func setValue(_ value: PropertyListValue?, forKey key: String) throws {
        guard let value else {
            defaults.removeObject(forKey: key)
            return try save()
        }
        // Foundation saves a value even if that makes a file which it cannot read again.
        _ = try value.withWholeSeconds.propertyListData(format: .xml)
        defaults.set(value.propertyList, forKey: key)
        try save()
    }

    private func save() throws {
        #if !canImport(Darwin)
        try synchronize()
        #endif
    }

    func synchronize() throws {
        guard defaults.synchronizeInTurn() else { throw UnsavedDefaultsError(name: name) }
    }

    func keys() throws -> [String] {
        let others = [
            defaults.volatileDomain(forName: UserDefaults.registrationDomain),
            defaults.volatileDomain(forName: UserDefaults.argumentDomain),
            defaults.persistentDomain(forName: UserDefaults.globalDomain) ?? [:],
        ]
        let keys = Set(defaults.dictionaryRepresentation().keys)
        return keys.subtracting(others.flatMap(\.keys)).sorted()
    }
}

/// Says that Foundation could not save what plain calls have set, for a reason that it does not tell; or
/// that it must not, since nobody could read it again.
struct UnsavedDefaultsError: Error, CustomStringConvertible {
    let name: String
    var unreadableKey: String?

    var description: String {
        let reason =
            unreadableKey.map {
                ": under \($0.debugDescription) a plain call has set what cannot be read again; remove it"
            } ?? ""
        return "UserDefaults cannot save the domain \(name)\(reason)"
    }
}
