#if !canImport(Darwin)
import FlatCache
import Foundation
import Synchronization

/// Foundation's cache of a domain: a copy in this process.
///
/// These rules were determined by experiment and from Foundation's documentation and sources (Swift
/// 6.3, Linux):
/// - All `UserDefaults` objects of one suite share one copy. Foundation reads it from the file at
///   the first use, and reads it again only at the first use after a `synchronize()`.
/// - `set` changes the copy and marks the key as changed. `synchronize()` reads the file, applies
///   the values of the changed keys, and writes the file in place: it truncates the file, then
///   writes it, without a lock against other processes. If no key is marked, it only discards the
///   copy, without looking at the file or its times, and the next use reads the file.
/// - A save that fails leaves the file truncated, and the keys marked for the next save. `set`
///   doesn't mark a key if the copy already has that value, however old the copy is.
/// - `synchronize()` saves *all* domains of the process.
/// - Foundation reads a file that can't be parsed three times in 0.45 seconds, then treats it as
///   empty, and overwrites it if any key is marked. It treats an empty file as an empty domain at
///   once. It deletes a file that has no values left.
struct FoundationDefaultsCache: Sendable {
    let location: DefaultsLocation

    private let shared: SharedDefaults
    private var defaults: UserDefaults { shared.object }

    init(location: DefaultsLocation, defaults: UserDefaults) {
        self.location = location
        shared = SharedDefaults(defaults)
    }

    /// Returns all values of the domain, saved and unsaved, with one of several canonically
    /// equivalent keys.
    ///
    /// - Complexity: O(*n*) in the number of values.
    func values() throws -> [String: PropertyListValue] {
        // Only this call omits registered defaults, arguments and the global domain.
        let values = try PropertyListValue(
            propertyList: defaults.persistentDomain(forName: location.domain) ?? [:]
        )
        guard case .dictionary(let values) = values.withWholeSeconds else { return [:] }
        return values
    }

    /// Returns whether the domain's values, saved or not, equal the values of a file.
    ///
    /// The method may return `false` for equal values, but never `true` for different ones.
    ///
    /// - Complexity: O(*n*) in the number of values.
    func holdsExactly(_ file: DefaultsFile) -> Bool {
        let found = defaults.persistentDomain(forName: location.domain) ?? [:]
        return found.count == file.values.count
            && found.allSatisfy { key, value in
                // A value of a whole domain is wrapped in an optional.
                let object = (Self.cast(value, to: Any?.self) ?? nil) ?? value
                return file.values[ExactString(key)]?.isFound(as: object) ?? false
            }
    }

    /// Casts a value at run time: the compiler takes a cast to `Any?` for one that adds an
    /// optional.
    private static func cast<Target>(_ value: Any, to type: Target.Type) -> Target? {
        value as? Target
    }

    /// Returns the value of a key, saved or unsaved.
    ///
    /// - Complexity: O(*n*) in the number of all values.
    func value(forKey key: String) throws -> PropertyListValue? {
        let values = defaults.persistentDomain(forName: location.domain) ?? [:]
        guard let index = values.index(forKey: key) else { return nil }
        var object: Any? = values[index].value
        let isSame = values[index].key.hasSameBytes(as: key)
        // The dictionary holds one of several canonically equivalent keys, perhaps with the value
        // of another one. A plain call tells them apart.
        if !isSame || !key.utf8.allSatisfy({ $0 < 0x80 }) {
            let hasFallback = Self.hasFallback(forKey: key)
            object = hasFallback ? (isSame ? object : nil) : defaults.object(forKey: key)
        }
        return try object.map { try PropertyListValue(propertyList: $0).withWholeSeconds }
    }

    /// Returns `true` if the domain's value for a key equals a value.
    ///
    /// - Parameters:
    ///   - value: The expected value; `nil` if the domain should hold none.
    ///   - key: The key.
    ///   - hasFallback: `true` if plain calls return a fallback when the domain holds no value.
    /// - Complexity: O(1). If plain calls return a value that equals the fallback, it may also be
    ///   stored in the domain; then O(*n*) in the number of all values.
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

    /// A domain without values, so that plain calls return only fallbacks.
    private static let empty = UserDefaults(suiteName: "FlatCachePersistence.Empty")
        .map { SharedDefaults($0) }

    /// Returns `true` if plain calls return a value for a key even if the domain stores none: an
    /// argument of the process, a value of the global domain, or a registered default.
    static func hasFallback(forKey key: String) -> Bool {
        guard let empty else { return true }
        return empty.object.object(forKey: key) != nil
    }

    /// Returns `true` if the value that plain calls return for a key may be its fallback.
    private func mayFallBack(forKey key: String) -> Bool {
        guard let found = defaults.object(forKey: key) else { return false }
        guard let fallback = Self.empty?.object.object(forKey: key) else { return true }
        guard let value = try? PropertyListValue(propertyList: fallback) else { return true }
        return value.isFound(as: found) || value.withWholeSeconds.isFound(as: found)
    }

    /// Saves the values that have been set.
    ///
    /// Foundation reads the file again at its next use.
    func synchronize() {
        // The result covers all domains together, so it says nothing about this domain.
        _ = defaults.synchronize()
    }
}

/// A check of the value of a key, at the cost of a plain call.
///
/// A plain call returns a set value, saved or not. If the domain has no value, the call returns the
/// fallback: an argument of the process, a value of the global domain, or a registered default. So
/// if the returned value equals the fallback, the check has to read all values of the domain.
///
/// The check looks up whether there is a fallback once, and again after each change. Limitation: a
/// default that is registered later, equals the stored value, and is then returned because a plain
/// call has removed that value is mistaken for the stored value.
final class PlainValueCheck: Sendable {
    private enum Fallback: Int {
        case unknown
        case absent
        case present
    }

    private let key: String
    private let caches: Locked<[FoundationDefaultsCache]>
    private let fallback = Atomic<Int>(Fallback.unknown.rawValue)

    init(key: String, caches: Locked<[FoundationDefaultsCache]>) {
        self.key = key
        self.caches = caches
    }

    /// Returns `true` if the domain's value for the key equals a value.
    ///
    /// - Complexity: O(1) in the number of values; O(*n*) if plain calls return a value that equals
    ///   the key's fallback.
    func isCurrent(_ value: PropertyListValue?) -> Bool {
        let hasFallback = hasFallback
        for cache in caches.withLock({ $0 })
        where !cache.has(value, forKey: key, hasFallback: hasFallback) {
            setFallback(.unknown)
            return false
        }
        return true
    }

    private var hasFallback: Bool {
        switch Fallback(rawValue: fallback.load(ordering: .relaxed)) {
        case .absent: return false
        case .present: return true
        case .unknown, nil: break
        }
        let isPresent = FoundationDefaultsCache.hasFallback(forKey: key)
        setFallback(isPresent ? .present : .absent)
        return isPresent
    }

    private func setFallback(_ new: Fallback) { fallback.store(new.rawValue, ordering: .relaxed) }
}

extension PropertyListValue {
    /// Returns `true` if an object that a plain call has returned equals this value, ignoring
    /// fractions of seconds in the object.
    ///
    /// Foundation on Linux returns simple values as Swift's own types, and these are compared
    /// directly. The types must be the same: `true`, `1` and `1.0` are three values.
    func isFound(as object: Any) -> Bool {
        switch self {
        case .bool(let value):
            if let other = object as? Bool, type(of: object) == Bool.self { return value == other }
        case .integer(let value):
            if let other = object as? Int, type(of: object) == Int.self { return value == other }
        case .double(let value):
            if let other = object as? Double, type(of: object) == Double.self {
                return value == other || (value.isNaN && other.isNaN)
            }
        case .string(let value):
            if let other = object as? String, type(of: object) == String.self {
                return value.hasSameBytes(as: other)
            }
        case .data(let value):
            if let other = object as? Data { return value == other }
        case .unsignedInteger, .date, .array, .dictionary: break
        }
        return (try? PropertyListValue(propertyList: object))?.withWholeSeconds == self
    }
}
#endif
