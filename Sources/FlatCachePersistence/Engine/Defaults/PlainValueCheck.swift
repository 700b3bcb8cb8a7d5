#if !canImport(Darwin)
import FlatCache
import Synchronization

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
#endif
