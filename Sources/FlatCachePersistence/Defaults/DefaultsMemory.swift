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

    /// Returns the value of a key, saved or not.
    ///
    /// - Complexity: O(*n*) in the number of all values.
    func value(forKey key: String) throws -> PropertyListValue? {
        try defaults.persistentDomain(forName: location.domain)?[key]
            .map { try PropertyListValue(propertyList: $0).withWholeSeconds }
    }

    /// Returns whether the domain holds a value, or none, for a key.
    ///
    /// - Parameters:
    ///   - value: The value; `nil` for none.
    ///   - key: The key.
    ///   - hasFallback: Whether plain calls find something even if the domain holds no value.
    /// - Complexity: O(1), unless plain calls find the fallback, which the domain may hold as well;
    ///   then O(*n*) in the number of all values.
    func has(_ value: PropertyListValue?, forKey key: String, hasFallback: Bool) -> Bool {
        if hasFallback, mayFallBack(forKey: key) {
            do {
                return try self.value(forKey: key) == value
            } catch {
                return false
            }
        }
        guard let object = defaults.object(forKey: key) else { return value == nil }
        return value?.isFound(as: object) ?? false
    }

    // MARK: Fallbacks

    /// A domain without any values, where plain calls find nothing but fallbacks.
    private static let empty = UserDefaults(suiteName: "FlatCachePersistence.Empty")
        .map { SharedDefaults($0) }

    /// Returns whether plain calls find something for a key that no domain stores: an argument of
    /// the process, a value of the global domain, or a registered default.
    static func hasFallback(forKey key: String) -> Bool {
        guard let empty else { return true }
        return empty.object.object(forKey: key) != nil
    }

    /// Returns whether what plain calls find for a key may be its fallback.
    private func mayFallBack(forKey key: String) -> Bool {
        guard let found = defaults.object(forKey: key) else { return false }
        guard let fallback = Self.empty?.object.object(forKey: key) else { return true }
        guard let value = try? PropertyListValue(propertyList: fallback) else { return true }
        return value.isFound(as: found) || value.withWholeSeconds.isFound(as: found)
    }

    /// Saves what has been set, and has everything read from the file at its next use.
    func synchronize() {
        // Its result tells of all domains together, and so nothing of this one.
        _ = defaults.synchronize()
    }
}
#endif
