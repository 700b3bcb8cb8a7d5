import FlatCache
import Foundation

/// The places of the domains that are reached through plain `UserDefaults` calls alone: one for
/// each suite, whatever objects stand for it.
///
/// No call returns the suite of an object. To find it, a value is set through one object for a
/// moment, under a key of its own: objects of the same suite read it.
final class PlainDefaultsPlaces: Sendable {
    private struct Entry {
        let domain: PlainDefaultsDomain
        let place: DefaultsPlace
        /// The objects that are known to stand for the domain; they are kept, so that none of their
        /// identities is another object's later.
        var objects: [any PlainDefaults]
    }

    private let makeWatcher: @Sendable (any PlainDefaults) -> any DefaultsWatcher
    // Held while objects are compared, in which no code but Foundation's is called.
    private let turn = WriterLock()
    private let entries = Guarded<[Entry]>([])

    init(makeWatcher: @escaping @Sendable (any PlainDefaults) -> any DefaultsWatcher) {
        self.makeWatcher = makeWatcher
    }

    /// Returns the place of a domain.
    ///
    /// - Parameters:
    ///   - defaults: An object that stands for the domain.
    ///   - name: The name of the domain, if it is known.
    func place(of defaults: any PlainDefaults, named name: String?) -> DefaultsPlace {
        turn.acquire()
        defer { turn.release() }
        let known = entries.withLock { $0 }
        let index =
            known.firstIndex { entry in
                entry.objects.contains { $0.identity == defaults.identity }
            } ?? name.flatMap { name in known.firstIndex { $0.domain.domainName == name } }
            ?? sameDomain(as: defaults, among: known, isNamed: name != nil)
        if let index {
            let entry = known[index]
            if entry.domain.domainName == nil { entry.domain.domainName = name }
            if name == nil, !entry.objects.contains(where: { $0.identity == defaults.identity }) {
                entries.withLock { $0[index].objects.append(defaults) }
            }
            return entry.place
        }
        let domain = PlainDefaultsDomain(defaults, domainName: name)
        let place = DefaultsPlace(domain, watcher: makeWatcher(defaults))
        entries.withLock { entries in
            entries.append(Entry(domain: domain, place: place, objects: [defaults]))
        }
        return place
    }

    /// Returns the index of the domain that an object stands for, of those for which it may.
    private func sameDomain(
        as defaults: any PlainDefaults,
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
