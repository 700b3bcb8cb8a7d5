import FlatCache
import Foundation

@testable import FlatCachePersistence

/// The defaults of a system such as Apple's, with all domains that a plain call looks into.
final class FakeDefaultsSystem: Sendable {
    private struct State {
        var domains: [String: [String: PropertyListValue]] = [:]
        var observers: [Int: (key: String, call: @Sendable () -> Void)] = [:]
        var last = 0
    }

    private let state = Locked(State())
    let registered = Locked<[String: PropertyListValue]>([:])
    let arguments = Locked<[String: PropertyListValue]>([:])
    let global = Locked<[String: PropertyListValue]>([:])

    func values(_ domain: String) -> [String: PropertyListValue] {
        state.withLock { $0.domains[domain] ?? [:] }
    }

    /// Changes a value and calls the observers on this thread, before it returns.
    func change(_ domain: String, _ key: String, to value: PropertyListValue?) {
        let calls = state.withLock { state in
            state.domains[domain, default: [:]][key] = value
            return state.observers.values.filter { $0.key == key }.map(\.call)
        }
        for call in calls { call() }
    }

    func observe(_ key: String, _ call: @escaping @Sendable () -> Void) -> Disposable {
        let number = state.withLock { state in
            state.last += 1
            state.observers[state.last] = (key, call)
            return state.last
        }
        return Disposable { [self] in state.withLock { $0.observers[number] = nil } }
    }
}

/// An object for one domain of a fake system.
final class FakeDefaults: SharedDefaults, @unchecked Sendable {
    let system: FakeDefaultsSystem
    let domain: String

    init(_ system: FakeDefaultsSystem, _ domain: String) {
        self.system = system
        self.domain = domain
        super.init(.standard)
    }

    override var identity: ObjectIdentifier { ObjectIdentifier(self) }

    override func object(forKey key: String) -> Any? { dictionaryRepresentation()[key] }

    override func set(_ value: Any, forKey key: String) {
        system.change(domain, key, to: try? PropertyListValue(propertyList: value))
    }

    override func removeObject(forKey key: String) { system.change(domain, key, to: nil) }

    override func persistentDomain(forName name: String) -> [String: Any]? {
        let values =
            name == UserDefaults.globalDomain ? system.global.withLock { $0 } : system.values(name)
        return values.mapValues(\.propertyList)
    }

    override func volatileDomain(forName name: String) -> [String: Any] {
        let values = name == UserDefaults.argumentDomain ? system.arguments : system.registered
        return values.withLock { $0 }.mapValues(\.propertyList)
    }

    override func dictionaryRepresentation() -> [String: Any] {
        var values = system.registered.withLock { $0 }
        values.merge(system.global.withLock { $0 }) { $1 }
        values.merge(system.values(domain)) { $1 }
        values.merge(system.arguments.withLock { $0 }) { $1 }
        return values.mapValues(\.propertyList)
    }

    override func synchronizeExclusively(timeout: Duration) -> Bool { true }
}

/// Notes changes on the thread that makes them, and reports them when the test says so.
final class FakeDefaultsWatcher: Sendable {
    private let system: FakeDefaultsSystem
    let reports = Locked<[@Sendable () -> Void]>([])

    init(_ system: FakeDefaultsSystem) { self.system = system }

    func watch(
        _ key: String,
        _ onOutdated: @escaping @Sendable () -> Void,
        _ onChange: @escaping @Sendable (String?) -> Void
    ) -> Disposable? {
        system.observe(key) { [reports] in
            onOutdated()
            reports.withLock { $0.append { onChange(key) } }
        }
    }

    func report() {
        for report in reports.withLock({ reports in
            defer { reports = [] }
            return reports
        }) { report() }
    }
}
