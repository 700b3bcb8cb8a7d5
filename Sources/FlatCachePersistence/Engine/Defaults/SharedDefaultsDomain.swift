import FlatCache
import Foundation

/// A defaults domain and its channels, shared by all storages of the domain in a process.
///
/// An instance lives until the process ends, as does Foundation's own copy of the domain.
final class SharedDefaultsDomain: Sendable {
    let domain: any DefaultsDomain
    let channels: StorageChannels<String, PropertyListValue>

    init(
        _ domain: any DefaultsDomain,
        watcher: (any DefaultsWatcher)?,
        clock: any PersistenceClock = SystemClock()
    ) {
        self.domain = domain
        channels = StorageChannels(comparison: ==, clock: clock) { key, channels in
            watcher?.watch(
                key,
                onOutdated: { [weak channels] in channels?.markOutdated(forKey: key) },
                onChange: { [weak channels] key in
                    guard let channels else { return }
                    for key in key.map({ [$0] }) ?? channels.openKeys() {
                        channels.checkForExternalChange(forKey: key) {
                            try domain.value(forKey: key)
                        }
                    }
                }
            )
        }
    }

    private static let instances = Locked<[ExactString: SharedDefaultsDomain]>([:])

    /// Returns the instance with an identity, and creates it if necessary.
    ///
    /// - Parameters:
    ///   - identity: A string that is the same for all objects that represent the same domain.
    ///   - make: A closure that creates the instance. It's called under no lock, and its result may
    ///     be discarded.
    static func instance(_ identity: String, _ make: () -> SharedDefaultsDomain)
        -> SharedDefaultsDomain
    {
        if let existing = instances.withLock({ $0[ExactString(identity)] }) { return existing }
        let made = make()
        return instances.withLock { instances in
            if let existing = instances[ExactString(identity)] { return existing }
            instances[ExactString(identity)] = made
            return made
        }
    }
}

/// A watcher that reports that a domain may have changed without a call of this module.
protocol DefaultsWatcher: Sendable {
    /// Starts to watch a key for changes.
    ///
    /// ## Concurrency
    /// The method is called with the key locked, and must not call a closure before it returns.
    /// `onOutdated` is called on the thread that changes the value, and `onChange` without any
    /// lock.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - onOutdated: Called before the call that changes the value returns, if the system reports
    ///     the change that early. It doesn't wait for anything.
    ///   - onChange: Called with the key that may have changed, or `nil` if any key may have
    ///     changed.
    /// - Returns: A token that stops watching when it is disposed of.
    func watch(
        _ key: String,
        onOutdated: @escaping @Sendable () -> Void,
        onChange: @escaping @Sendable (String?) -> Void
    ) -> Disposable?
}
