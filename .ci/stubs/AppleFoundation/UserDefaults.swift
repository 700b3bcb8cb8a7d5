// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
public import Foundation

/// An implementation in memory, which announces each change on the thread that makes it.
///
/// It announces changes by key-value observation to all objects of the suite, for which a key with
/// dots is a path, and by the notification.
open class UserDefaults: NSObject {
    private struct Observer {
        unowned let object: NSObject
        let suite: String
        let keyPath: String
    }

    private struct State {
        var domains: [String: [String: Any]] = [:]
        var volatileDomains: [String: [String: Any]] = [:]
        var observers: [Observer] = []
    }

    public static let globalDomain = "NSGlobalDomain"
    public static let argumentDomain = "NSArgumentDomain"
    public static let registrationDomain = "NSRegistrationDomain"
    public static let didChangeNotification = NSNotification.Name(
        "NSUserDefaultsDidChangeNotification"
    )

    // Guarded by `lock`.
    nonisolated(unsafe) private static var state = State()
    private static let lock = NSLock()
    // Constant; `UserDefaults` is documented to be thread-safe.
    nonisolated(unsafe) private static let standardObject = UserDefaults(name: "standard")

    private let suite: String

    private init(name: String) { suite = name }

    public init?(suiteName: String?) { suite = suiteName ?? "standard" }

    open class var standard: UserDefaults { standardObject }

    open func object(forKey defaultName: String) -> Any? {
        dictionaryRepresentation()[defaultName]
    }

    open func set(_ value: Any?, forKey defaultName: String) {
        change(defaultName) { $0.domains[suite, default: [:]][defaultName] = value }
    }

    open func removeObject(forKey defaultName: String) { set(nil, forKey: defaultName) }

    open func register(defaults: [String: Any]) {
        Self.lock.withLock {
            Self.state.volatileDomains[Self.registrationDomain, default: [:]]
                .merge(defaults) { $1 }
        }
    }

    open func dictionaryRepresentation() -> [String: Any] {
        Self.lock.withLock {
            var all = Self.state.volatileDomains[Self.registrationDomain] ?? [:]
            for name in [Self.globalDomain, suite] {
                all.merge(Self.state.domains[name] ?? [:]) { $1 }
            }
            return all.merging(Self.state.volatileDomains[Self.argumentDomain] ?? [:]) { $1 }
        }
    }

    open func volatileDomain(forName domainName: String) -> [String: Any] {
        Self.lock.withLock { Self.state.volatileDomains[domainName] ?? [:] }
    }

    open func persistentDomain(forName domainName: String) -> [String: Any]? {
        Self.lock.withLock { Self.state.domains[domainName] }
    }

    open func removePersistentDomain(forName domainName: String) {
        for key in (persistentDomain(forName: domainName) ?? [:]).keys {
            change(key) { $0.domains[domainName]?[key] = nil }
        }
    }

    @discardableResult open func synchronize() -> Bool { true }

    open override func addObserver(
        _ observer: NSObject,
        forKeyPath keyPath: String,
        options: NSKeyValueObservingOptions = [],
        context: UnsafeMutableRawPointer?
    ) {
        let observer = Observer(object: observer, suite: suite, keyPath: keyPath)
        Self.lock.withLock { Self.state.observers.append(observer) }
    }

    open override func removeObserver(_ observer: NSObject, forKeyPath keyPath: String) {
        Self.lock.withLock {
            Self.state.observers.removeAll { $0.object === observer && $0.keyPath == keyPath }
        }
    }

    private func change(_ key: String, _ body: (inout State) -> Void) {
        let observers = Self.lock.withLock {
            body(&Self.state)
            return Self.state.observers.filter { $0.suite == suite && $0.keyPath == key }
        }
        for observer in observers where !key.contains(".") {
            observer.object.observeValue(forKeyPath: key, of: self, change: nil, context: nil)
        }
        NotificationCenter.default.post(name: Self.didChangeNotification, object: self)
    }
}
