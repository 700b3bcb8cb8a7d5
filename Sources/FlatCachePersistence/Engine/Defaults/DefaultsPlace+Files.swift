#if !canImport(Darwin)
import FlatCache
import Foundation

extension DefaultsPlace {
    /// Returns the place of the domain that an object represents.
    static func place(of defaults: UserDefaults) -> DefaultsPlace {
        if let location = DefaultsLocation(defaults) { return place(at: location, defaults) }
        // This version of Foundation doesn't reveal the suite. The domain retains the object, so
        // the object's identity stays unique.
        let name = "\(ObjectIdentifier(defaults))"
        return place(name) {
            DefaultsPlace(
                PlainDefaultsDomain(SharedDefaults(defaults), domainName: nil),
                watcher: NoDefaultsWatcher()
            )
        }
    }

    /// Returns the place of a suite.
    static func place(ofSuite suiteName: String, _ defaults: UserDefaults) -> DefaultsPlace {
        place(at: DefaultsLocation(suiteName: suiteName), defaults)
    }

    private static func place(at location: DefaultsLocation, _ defaults: UserDefaults)
        -> DefaultsPlace
    {
        let memory = DefaultsMemory(location: location, defaults: defaults)
        let place = place(location.path) {
            let domain = FileDefaultsDomain(memory)
            return DefaultsPlace(domain, watcher: domain.makeWatcher())
        }
        (place.domain as? FileDefaultsDomain)?.add(memory)
        return place
    }
}

extension FileDefaultsDomain {
    /// Creates a watcher of the domain's file.
    func makeWatcher() -> DefaultsFileWatcher {
        let url = URL(fileURLWithPath: path, isDirectory: false)
        return DefaultsFileWatcher { onEvent in
            let monitor = FileWriteMonitor(url: url) { _ in onEvent() }
            return Disposable { monitor.cancel() }
        }
    }
}

/// A watcher that never reports a change.
private struct NoDefaultsWatcher: DefaultsWatcher {
    func watch(
        _ key: String,
        onOutdated: @escaping @Sendable () -> Void,
        onChange: @escaping @Sendable (String?) -> Void
    ) -> Disposable? {
        nil
    }
}
#endif
