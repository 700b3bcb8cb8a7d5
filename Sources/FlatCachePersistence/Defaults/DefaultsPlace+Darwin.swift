#if canImport(Darwin)
import Dispatch
import FlatCache
import Foundation

extension DefaultsPlace {
    /// Returns the place of the domain that an object stands for.
    static func place(of defaults: UserDefaults) -> DefaultsPlace {
        if defaults === UserDefaults.standard { return place("standard", defaults) }
        // Of an object that somebody else has made, the suite is not known; it is kept, so that its
        // identity is its own. Whoever writes through another one is heard of all the same.
        return place("object \(ObjectIdentifier(defaults))", defaults)
    }

    /// Returns the place of a suite.
    static func place(ofSuite suiteName: String, _ defaults: UserDefaults) -> DefaultsPlace {
        place("suite \(suiteName)", defaults)
    }

    private static func place(_ name: String, _ defaults: UserDefaults) -> DefaultsPlace {
        place(name) {
            DefaultsPlace(
                PlainDefaultsDomain(defaults, name: name),
                watcher: DefaultsObserver(defaults)
            )
        }
    }
}

/// Tells when any process changes a key of a domain.
///
/// Key-value observation tells of other processes, but takes a key with dots for a path; the
/// notification tells of all keys, but of changes in this process alone. So both are used.
///
/// Both come on the thread that sets a value, which may hold a key locked just then: what they tell is
/// passed on elsewhere, or two threads that set two keys would wait for each other.
final class DefaultsObserver: DefaultsWatcher {
    private static let queue = DispatchQueue(label: "FlatCachePersistence.DefaultsObserver")

    private let shared: SharedDefaults

    init(_ defaults: UserDefaults) {
        shared = SharedDefaults(defaults)
    }

    func watch(_ key: String, onChange: @escaping @Sendable (String?) -> Void) -> Disposable? {
        let tell: @Sendable () -> Void = { Self.queue.async { onChange(key) } }
        let center = NotificationCenter.default
        let notification = center.addObserver(
            forName: UserDefaults.didChangeNotification,
            object: nil,
            queue: nil
        ) { _ in tell() }
        // "@" begins an operator there.
        let isPlain = !key.isEmpty && !key.contains(".") && !key.hasPrefix("@")
        let observer = isPlain ? DefaultsKeyObserver(shared.object, key, tell) : nil
        let tokens = DefaultsTokens(notification: notification)
        return Disposable {
            observer?.end()
            center.removeObserver(tokens.notification)
        }
    }
}

/// Observes one key.
private final class DefaultsKeyObserver: NSObject, @unchecked Sendable {
    // Constant; `UserDefaults` is safe by itself, see `SharedDefaults`.

    private let defaults: UserDefaults
    private let key: String
    private let onChange: @Sendable () -> Void

    init(_ defaults: UserDefaults, _ key: String, _ onChange: @escaping @Sendable () -> Void) {
        self.defaults = defaults
        self.key = key
        self.onChange = onChange
        super.init()
        defaults.addObserver(self, forKeyPath: key, options: [], context: nil)
    }

    func end() { defaults.removeObserver(self, forKeyPath: key) }

    override func observeValue(
        forKeyPath keyPath: String?,
        of object: Any?,
        change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        onChange()
    }
}

/// What the notification centre gives for an observer.
private struct DefaultsTokens: @unchecked Sendable {
    // Opaque, and only given back.
    let notification: any NSObjectProtocol
}
#endif
