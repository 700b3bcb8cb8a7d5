#if !canImport(Darwin)
import Foundation

/// What Foundation has of a domain in the memory of this process.
///
/// Found out by experiment and from Foundation's documentation and sources (Swift 6.3, Linux):
/// - All `UserDefaults` objects of one suite share one memory. It is read from the file at the first
///   use, and from then on only once more after `synchronize()`.
/// - `set` changes the memory, and notes the key. `synchronize()` reads the file anew, puts the noted
///   keys' values over it, and writes the file in place: it is truncated, then written, under no lock
///   against other processes. With no key noted it only drops the memory, without a look at the file or
///   its times, so the next use reads the file.
/// - A save that fails leaves the file truncated, and the keys noted for the next one. `set` notes nothing
///   if memory has that value already, be it as old as may be.
/// - It does so for *all* domains of the process.
/// - A file that cannot be parsed is read three times in 0.45 seconds, then taken for an empty one, and
///   overwritten if any key is noted. An empty file is taken for an empty domain at once. A file
///   without any values left is deleted.
struct DefaultsMemory: Sendable {
    let location: DefaultsLocation

    private let shared: SharedDefaults
    private var defaults: UserDefaults { shared.object }

    init(location: DefaultsLocation, defaults: UserDefaults) {
        self.location = location
        shared = SharedDefaults(defaults)
    }

    /// Returns all values of the domain: saved ones, and those that have been set and not saved.
    ///
    /// - Complexity: O(*n*) in their number.
    func values() throws -> [String: PropertyListValue] {
        // This alone leaves out registered defaults, arguments and the global domain.
        let values = try PropertyListValue(
            propertyList: defaults.persistentDomain(forName: location.domain) ?? [:]
        )
        guard case .dictionary(let values) = values.withWholeSeconds else { return [:] }
        return values
    }

    /// Returns whether plain calls find one value for a key, or anything else.
    ///
    /// This is fast. If it returns `false`, it may be because of a registered default or an argument, and
    /// so may `true` be if one equals the value.
    func plainlyHas(_ value: PropertyListValue?, forKey key: String) -> Bool {
        guard let object = defaults.object(forKey: key) else { return value == nil }
        guard let value else { return false }
        return (try? PropertyListValue(propertyList: object))?.withWholeSeconds == value
    }

    /// Saves what has been set, and has everything read from the file at its next use.
    func synchronize() {
        // Its result tells of all domains together, and so nothing of this one.
        _ = defaults.synchronize()
    }
}
#endif
