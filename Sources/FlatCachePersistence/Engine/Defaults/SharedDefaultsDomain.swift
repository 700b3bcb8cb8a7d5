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
        clock: any PersistenceClock = SystemClock(),
        watch: DefaultsWatch?
    ) {
        self.domain = domain
        channels = StorageChannels(comparison: ==, clock: clock) { key, channels in
            watch?(key) { [weak channels] in
                channels?.markOutdated(forKey: key)
            } _: { [weak channels, weak domain] key in
                guard let channels, let domain else { return }
                for key in key.map({ [$0] }) ?? channels.openKeys() {
                    channels.checkForExternalChange(forKey: key) { try domain.value(forKey: key) }
                }
            }
        }
    }
}

/// A closure that starts to watch a key for changes that no call of this module makes, and returns
/// a token that stops watching.
///
/// The closure is called with the key locked, and must not call the other two before it returns.
///
/// - Parameters:
///   - key: The key.
///   - onOutdated: Called on the thread that changes the value, before its call returns, if the
///     system reports the change that early. It doesn't wait for anything.
///   - onChange: Called without any lock, with the key that may have changed, or `nil` if any key
///     may have changed.
typealias DefaultsWatch =
    @Sendable (
        _ key: String,
        _ onOutdated: @escaping @Sendable () -> Void,
        _ onChange: @escaping @Sendable (String?) -> Void
    ) -> Disposable?
