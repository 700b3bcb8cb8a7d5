#if !canImport(Darwin)
import FlatCache
import Foundation

extension SharedDefaultsDomain {
    static func domain(of defaults: UserDefaults) -> SharedDefaultsDomain {
        if let location = DefaultsLocation(defaults) { return domain(at: location, defaults) }
        // This version of Foundation doesn't reveal the suite. The domain retains the object, so
        // the object's identity remains unique.
        let name = "\(ObjectIdentifier(defaults))"
        return instance(name) {
            SharedDefaultsDomain(
                PlainDefaultsDomain(SharedDefaults(defaults), domainName: nil),
                watcher: nil
            )
        }
    }

    static func domain(ofSuite suiteName: String, _ defaults: UserDefaults) -> SharedDefaultsDomain
    {
        domain(at: DefaultsLocation(suiteName: suiteName), defaults)
    }

    private static func domain(at location: DefaultsLocation, _ defaults: UserDefaults)
        -> SharedDefaultsDomain
    {
        let cache = FoundationDefaultsCache(location: location, defaults: defaults)
        let shared = instance(location.path) {
            let domain = FileDefaultsDomain(cache)
            return SharedDefaultsDomain(domain, watcher: domain.makeWatcher())
        }
        (shared.domain as? FileDefaultsDomain)?.add(cache)
        return shared
    }
}
#endif
