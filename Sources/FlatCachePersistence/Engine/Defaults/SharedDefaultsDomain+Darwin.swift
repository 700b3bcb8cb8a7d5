#if canImport(Darwin)
import Dispatch
import FlatCache
import Foundation

extension SharedDefaultsDomain {
    private static let all = PlainDefaultsDomains { DefaultsObserver($0).watch }

    static func domain(of defaults: UserDefaults) -> SharedDefaultsDomain {
        let isStandard = defaults === UserDefaults.standard
        return all.domain(of: SharedDefaults(defaults), named: isStandard ? standardDomain : nil)
    }

    static func domain(ofSuite suiteName: String, _ defaults: UserDefaults) -> SharedDefaultsDomain
    {
        all.domain(of: SharedDefaults(defaults), named: suiteName)
    }

    /// The name of the domain of `UserDefaults.standard`.
    private static var standardDomain: String {
        Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
    }
}

/// An observer that reports changes of a key by any process.
///
/// Key-value observation also reports changes by other processes, but interprets a key with dots as
/// a path. `UserDefaults.didChangeNotification` covers all keys, but only changes by this process.
/// So the observer uses key-value observation where it can, and the notification for keys that
/// would be interpreted as paths.
///
/// ## Concurrency
/// If this process sets a value, the system calls the observer on the thread of that call, before
/// the call returns. The observer marks the remembered value as outdated on that thread, without
/// waiting for another thread. Because that thread may hold the lock of a key, the observer calls
/// the listeners on a queue: otherwise two threads that set two keys could wait for each other.
///
/// If another process changes a key with dots, the observer reports the change when this process
/// next changes any value.
final class DefaultsObserver: Sendable {
    private static let queue = DispatchQueue(label: "FlatCachePersistence.DefaultsObserver")

    private let defaults: SharedDefaults

    init(_ defaults: SharedDefaults) {
        self.defaults = defaults
    }

    func watch(
        _ key: String,
        _ onOutdated: @escaping @Sendable () -> Void,
        _ onChange: @escaping @Sendable (String?) -> Void
    ) -> Disposable? {
        let report: @Sendable () -> Void = {
            onOutdated()
            Self.queue.async { onChange(key) }
        }
        // "@" begins an operator in a key path.
        let isPlain = !key.isEmpty && !key.contains(".") && !key.hasPrefix("@")
        guard isPlain else {
            return NotificationCenter.default.observe(UserDefaults.didChangeNotification, report)
        }
        let observer = DefaultsKeyObserver(defaults.object, key, report)
        return Disposable { observer.end() }
    }
}

/// An observer of one key.
private final class DefaultsKeyObserver: NSObject, @unchecked Sendable {
    // Unchecked, since `UserDefaults` isn't `Sendable`. It's safe on several threads, see
    // `SharedDefaults`. All properties are constant.

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

extension NotificationCenter {
    /// Calls a closure for each notification of a name, until the token is disposed of.
    func observe(_ name: Notification.Name, _ body: @escaping @Sendable () -> Void) -> Disposable {
        let token = NotificationToken(
            observer: addObserver(forName: name, object: nil, queue: nil) { _ in body() }
        )
        return Disposable { NotificationCenter.default.removeObserver(token.observer) }
    }
}

private struct NotificationToken: @unchecked Sendable {
    // Constant, and only passed back to the notification center. That's allowed on any thread.
    let observer: any NSObjectProtocol
}
#endif
