#if !canImport(Darwin)
import FlatCache
import Synchronization

/// Tells for the price of a plain call whether a key of a domain still has a value.
///
/// A plain call finds a set value, saved or not. But if the domain has no value, it finds the
/// fallback: an argument of the process, a value of the global domain, or a registered default. So
/// a found value that equals the fallback proves nothing, and all values of the domain have to be
/// looked at.
///
/// The fallback is looked up once, and again after each change. So a default that is registered
/// later, equals the stored value, and is uncovered by a plain removal is taken for the stored
/// value.
final class PlainValueCheck: DefaultsCheck {
    private enum Fallback: Int {
        case unknown
        case absent
        case present
    }

    private let key: String
    private let memories: Guarded<[DefaultsMemory]>
    private let fallback = Atomic<Int>(Fallback.unknown.rawValue)

    init(key: String, memories: Guarded<[DefaultsMemory]>) {
        self.key = key
        self.memories = memories
    }

    /// Returns whether the domain has a value, or none, for the key.
    ///
    /// - Complexity: O(1) in the number of values, unless there is a fallback, which the value
    ///   equals.
    func isCurrent(_ value: PropertyListValue?) -> Bool {
        let hasFallback = hasFallback
        for memory in memories.withLock({ $0 })
        where !memory.has(value, forKey: key, hasFallback: hasFallback) {
            note(.unknown)
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
        let isPresent = DefaultsMemory.hasFallback(forKey: key)
        note(isPresent ? .present : .absent)
        return isPresent
    }

    private func note(_ new: Fallback) { fallback.store(new.rawValue, ordering: .relaxed) }
}
#endif
