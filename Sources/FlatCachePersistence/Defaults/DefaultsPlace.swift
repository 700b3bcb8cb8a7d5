import FlatCache
import Foundation

/// All that a process has for one defaults domain: the domain, and the channels that all storages on it
/// share.
///
/// Once used, a domain stays for as long as the process: Foundation keeps its own, too.
final class DefaultsPlace: Sendable {
    let domain: any DefaultsDomain
    let channels: StorageChannels<String, PropertyListValue>

    init(_ domain: any DefaultsDomain, watcher: any DefaultsWatcher) {
        self.domain = domain
        channels = StorageChannels { key, channels in
            watcher.watch(
                key,
                onOutdated: { [weak channels] in channels?.markOutdated(forKey: key) },
                onChange: { [weak channels] key in
                    guard let channels else { return }
                    for key in key.map({ [$0] }) ?? channels.openKeys() {
                        channels.noteExternalChange(forKey: key) { try domain.value(forKey: key) }
                    }
                }
            )
        }
    }

    private static let places = Guarded<[String: DefaultsPlace]>([:])

    /// Returns the one place of that name, and makes it if it is not there yet.
    ///
    /// - Parameters:
    ///   - identity: What is the same for all that stand for the same domain.
    ///   - make: Makes it; called outside of all locks, and its result may go unused.
    static func place(_ identity: String, _ make: () -> DefaultsPlace) -> DefaultsPlace {
        if let place = places.withLock({ $0[identity] }) { return place }
        let made = make()
        return places.withLock { places in
            if let place = places[identity] { return place }
            places[identity] = made
            return made
        }
    }
}

/// Tells when a domain may have been changed by somebody else.
protocol DefaultsWatcher: Sendable {
    /// Begins to watch for changes of a key.
    ///
    /// ## Concurrency
    /// It is called while the key is locked, and must not call back before it returns. `onOutdated`
    /// is called on the thread that changes the value, `onChange` under no lock.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - onOutdated: Called before the call that has changed the value returns, if the system
    ///     says so that early. It waits for nothing.
    ///   - onChange: Called with the key that may have changed, or `nil` if any may have.
    /// - Returns: A token that ends it.
    func watch(
        _ key: String,
        onOutdated: @escaping @Sendable () -> Void,
        onChange: @escaping @Sendable (String?) -> Void
    ) -> Disposable?
}
