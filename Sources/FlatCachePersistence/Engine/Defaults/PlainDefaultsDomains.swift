import FlatCache
import Foundation

/// The domains that are used only through plain `UserDefaults` calls: one for each suite, shared by
/// all objects of the suite.
///
/// No call returns the suite of an object. To determine it, this class sets a value through one
/// object for a moment, under a unique key: only objects of the same suite return it.
final class PlainDefaultsDomains: Sendable {
    private struct Entry {
        let domain: PlainDefaultsDomain
        let shared: SharedDefaultsDomain
        /// The objects that are known to represent the domain.
        ///
        /// They are retained, so that no later object has the same identity.
        var objects: [SharedDefaults]
    }

    private let makeWatch: @Sendable (SharedDefaults) -> DefaultsWatch
    // Held while objects are compared. An observer of the trial value may come back on the same
    // thread.
    private let lock = WriterLock()
    private let entries = Locked<[Entry]>([])

    init(makeWatch: @escaping @Sendable (SharedDefaults) -> DefaultsWatch) {
        self.makeWatch = makeWatch
    }

    /// Returns the shared domain that an object represents.
    ///
    /// - Parameters:
    ///   - defaults: An object that represents the domain.
    ///   - name: The name of the domain, if it is known.
    func domain(of defaults: SharedDefaults, named name: String?) -> SharedDefaultsDomain {
        let isNested = lock.isHeldByCurrentThread
        if !isNested { lock.acquire() }
        defer { if !isNested { lock.release() } }
        let known = entries.withLock { $0 }
        let index =
            known.firstIndex { entry in
                entry.objects.contains { $0.identity == defaults.identity }
            } ?? name.flatMap { name in
                known.firstIndex { $0.domain.domainName?.hasSameBytes(as: name) == true }
            }
            ?? sameDomain(as: defaults, among: known, isNamed: name != nil)
        if let index {
            let entry = known[index]
            if entry.domain.domainName == nil { entry.domain.domainName = name }
            if name == nil, !entry.objects.contains(where: { $0.identity == defaults.identity }) {
                entries.withLock { $0[index].objects.append(defaults) }
            }
            return entry.shared
        }
        // An observer of the trial value may have added the domain.
        if entries.withLock({ $0.count }) != known.count {
            return self.domain(of: defaults, named: name)
        }
        let domain = PlainDefaultsDomain(defaults, domainName: name)
        let shared = SharedDefaultsDomain(domain, watch: makeWatch(defaults))
        entries.withLock { entries in
            entries.append(Entry(domain: domain, shared: shared, objects: [defaults]))
        }
        return shared
    }

    /// Returns the index of the entry whose domain an object represents, or `nil` if there is none.
    private func sameDomain(
        as defaults: SharedDefaults,
        among known: [Entry],
        isNamed: Bool
    ) -> Int? {
        let candidates = known.indices.filter { !isNamed || known[$0].domain.domainName == nil }
        if candidates.isEmpty { return nil }
        let key = "FlatCachePersistence.\(UUID().uuidString)"
        defaults.set(true, forKey: key)
        defer { defaults.removeObject(forKey: key) }
        return candidates.first { known[$0].domain.defaults.object(forKey: key) != nil }
    }
}
