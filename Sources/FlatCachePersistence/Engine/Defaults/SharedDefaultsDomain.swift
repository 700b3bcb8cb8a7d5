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

/// A domain of user defaults: the values that an app or a suite has stored.
///
/// A process has one object for each domain. The object returns only values that the domain itself
/// *stores*. It ignores registered defaults, the arguments of the process and the global domain, to
/// which `UserDefaults.object(forKey:)` falls back. So a registered default is never mistaken for a
/// value that the user has chosen, and is never copied into the domain.
protocol DefaultsDomain: AnyObject, Sendable {
    /// The name of the domain in messages.
    var name: String { get }

    /// `true` if plain `UserDefaults` calls announce their changes.
    var announcesEveryChange: Bool { get }

    /// Returns a check of a key's value, or `nil` if no check is faster than reading the value.
    func makeCheck(forKey key: String) -> DefaultsCheck?

    /// Returns the newest value: the value in the domain's storage, or a value that a plain call in
    /// this process has set and that isn't saved yet.
    ///
    /// - Parameter key: The value's key.
    /// - Returns: The value, or `nil` if the domain stores none.
    /// - Throws: An error if the domain can't be read, so it isn't known whether there is a value.
    func value(forKey key: String) throws -> PropertyListValue?

    /// Stores a value so that every process and every plain call in this process reads it.
    ///
    /// - Parameters:
    ///   - value: The value, or `nil` to remove the stored value.
    ///   - key: The value's key.
    /// - Throws: An error if the value couldn't be stored. All stored values are unchanged.
    func setValue(_ value: PropertyListValue?, forKey key: String) throws

    /// Stores a value as `setValue(_:forKey:)` does, or throws an error at once if another process
    /// holds the lock.
    func setValueAtOnce(_ value: PropertyListValue?, forKey key: String) throws

    /// The maximum time that a write waits for other processes.
    var timeout: Duration { get }

    /// The maximum time that a set property waits for other processes.
    var patience: Duration { get }

    /// Throws an error if another process holds the lock.
    func checkIsFree() throws

    /// Returns the folder whose lock excludes other processes that update values together.
    func lockedFolder() throws -> String

    /// Returns the keys that have values in this domain.
    ///
    /// - Throws: An error if the keys can't be read.
    func keys() throws -> [String]

    /// Saves the values that plain calls in this process have set, so that other processes read
    /// them.
    ///
    /// - Throws: An error if the values couldn't be saved.
    func synchronize() throws

    /// Returns a value as the domain will return it after storing it. The storage may round a date,
    /// for example.
    ///
    /// - Parameter value: A value to store.
    func stored(_ value: PropertyListValue) -> PropertyListValue
}

/// The implementations for domains whose writes never wait for another process.
extension DefaultsDomain {
    func setValueAtOnce(_ value: PropertyListValue?, forKey key: String) throws {
        try setValue(value, forKey: key)
    }

    var timeout: Duration { .zero }

    var patience: Duration { .zero }

    func checkIsFree() throws {}
}

/// A comparison of an expected value with the newest value of a key, at little cost.
///
/// It returns `true` only if they are equal; `PlainValueCheck` documents one exception. `false`
/// means that the value must be read.
typealias DefaultsCheck = @Sendable (PropertyListValue?) -> Bool
