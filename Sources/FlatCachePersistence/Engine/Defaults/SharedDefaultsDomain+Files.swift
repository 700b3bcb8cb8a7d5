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
            let domain = PlainDefaultsDomain(SharedDefaults(defaults), domainName: nil)
            return SharedDefaultsDomain(domain, watch: nil)
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
            return SharedDefaultsDomain(domain, watch: domain.watch)
        }
        (shared.domain as? FileDefaultsDomain)?.add(cache)
        return shared
    }

    private static let instances = Locked<[ExactString: SharedDefaultsDomain]>([:])

    /// Returns the instance with an identity, and creates it if necessary.
    ///
    /// - Parameters:
    ///   - identity: A string that is the same for all objects that represent the same domain.
    ///   - make: A closure that creates the instance. It's called under the lock of the table.
    static func instance(_ identity: String, _ make: () -> SharedDefaultsDomain)
        -> SharedDefaultsDomain
    {
        instances.withLock { instances in
            let instance = instances[ExactString(identity)] ?? make()
            instances[ExactString(identity)] = instance
            return instance
        }
    }
}
#endif
