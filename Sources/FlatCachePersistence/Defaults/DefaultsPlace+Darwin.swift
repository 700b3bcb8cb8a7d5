#if canImport(Darwin)
import Dispatch
import FlatCache
import Foundation

extension DefaultsPlace {
    private static let all = PlainDefaultsPlaces { defaults in DefaultsObserver(defaults) }

    /// Returns the place of the domain that an object stands for.
    static func place(of defaults: UserDefaults) -> DefaultsPlace {
        let isStandard = defaults === UserDefaults.standard
        return all.place(of: SharedDefaults(defaults), named: isStandard ? standardDomain : nil)
    }

    /// Returns the place of a suite.
    static func place(ofSuite suiteName: String, _ defaults: UserDefaults) -> DefaultsPlace {
        all.place(of: SharedDefaults(defaults), named: suiteName)
    }

    /// The name of the domain of `UserDefaults.standard`.
    private static var standardDomain: String {
        Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
    }
}

/// Notes and reports the changes of a key, by any process.
///
/// Key-value observation reports other processes, too, but takes a key with dots for a path. The
/// notification reports all keys, but only changes in this process. So both are used.
///
/// Both come on the thread that sets a value, before its call returns. The remembered value is
/// marked as outdated there, which waits for no other thread. That thread may hold a key locked, so
/// the listeners are called from a queue: otherwise two threads that set two keys would wait for
/// each other.
///
/// A change of a key with dots by another process is seen when this process next changes any value.
final class DefaultsObserver: DefaultsWatcher {
    private static let queue = DispatchQueue(label: "FlatCachePersistence.DefaultsObserver")

    private let defaults: any PlainDefaults

    init(_ defaults: any PlainDefaults) {
        self.defaults = defaults
    }

    func watch(
        _ key: String,
        onOutdated: @escaping @Sendable () -> Void,
        onChange: @escaping @Sendable (String?) -> Void
    ) -> Disposable? {
        let note: @Sendable () -> Void = {
            onOutdated()
            Self.queue.async { onChange(key) }
        }
        let center = NotificationCenter.default
        // "@" begins an operator in a path.
        let isPlain = !key.isEmpty && !key.contains(".") && !key.hasPrefix("@")
        guard isPlain, let shared = defaults as? SharedDefaults else {
            let notification = center.addObserver(
                forName: UserDefaults.didChangeNotification,
                object: nil,
                queue: nil
            ) { _ in note() }
            let tokens = DefaultsTokens(notification: notification)
            return Disposable { center.removeObserver(tokens.notification) }
        }
        let observer = DefaultsKeyObserver(shared.object, key, note)
        return Disposable { observer.end() }
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
