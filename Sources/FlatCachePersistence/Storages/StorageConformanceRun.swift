import Dispatch
import FlatCache

/// One check of a storage.
struct StorageConformanceRun<Place: Storage>: Sendable where Place.Value: Equatable {
    typealias Promise = StorageConformance.Promise

    let storage: Place
    let key: Place.Key
    let otherKey: Place.Key
    let first: Place.Value
    let second: Place.Value
    let another: (@Sendable () -> Place)?
    let change: (@Sendable (Place.Value?, Place.Key) throws -> Void)?

    /// The description of a broken promise.
    struct Broken: Error, CustomStringConvertible {
        let description: String
    }

    func all(deadline: Double) -> [StorageConformance.Failure] {
        var failures: [StorageConformance.Failure] = []
        for promise in Promise.allCases {
            let outcome = Locked<String?>(nil)
            let finished = DispatchSemaphore(value: 0)
            let thread = DispatchQueue(label: "FlatCachePersistence.StorageConformance")
            thread.async {
                do {
                    try check(promise)
                } catch {
                    outcome.withLock { $0 = "\(error)" }
                }
                finished.signal()
            }
            guard finished.wait(timeout: .now() + deadline) == .success else {
                let reason = "it didn't finish within \(deadline) seconds"
                // The blocked check holds locks that the remaining checks would wait for.
                return failures + [StorageConformance.Failure(promise: promise, reason: reason)]
            }
            if let reason = outcome.withLock({ $0 }) {
                failures.append(StorageConformance.Failure(promise: promise, reason: reason))
            }
        }
        return failures
    }

    private func check(_ promise: Promise) throws {
        try clear()
        switch promise {
        case .storesValues: try storesValues()
        case .removesValues: try removesValues()
        case .removesNothing: try storage.removeValue(for: key)
        case .keepsKeysApart: try keepsKeysApart()
        case .tellsListeners: try tellsListeners()
        case .tellsOfRemovals: try tellsOfRemovals()
        case .tellsOnlyWhatIsNew: try tellsOnlyWhatIsNew()
        case .letsListenersUseTheKey: try letsListenersUseTheKey()
        case .endsWithTheToken: try endsWithTheToken()
        case .tellsOneByOne: try tellsOneByOne()
        case .sharesThePlace: try sharesThePlace()
        case .announcesEveryChange: try announcesEveryChange()
        case .survivesConcurrency: try survivesConcurrency()
        }
        try clear()
    }

    private func clear() throws {
        for key in [key, otherKey] where try storage.retrieveValue(for: key) != nil {
            try storage.removeValue(for: key)
        }
    }

    // MARK: Values

    private func storesValues() throws {
        try storage.storeValue(first, key: key)
        try expect(try read(), first, "the value read after the first write")
        try storage.storeValue(second, key: key)
        try expect(try read(), second, "the value read after the second write")
    }

    private func removesValues() throws {
        try storage.storeValue(first, key: key)
        try storage.removeValue(for: key)
        try expect(try read(), nil, "the value read after the removal")
    }

    private func keepsKeysApart() throws {
        try storage.storeValue(first, key: key)
        try storage.storeValue(second, key: otherKey)
        try expect(try read(), first, "the first key's value")
        try storage.removeValue(for: key)
        try expect(
            try storage.retrieveValue(for: otherKey),
            second,
            "the second key's value after the "
                + "removal of the first key's value"
        )
    }

    // MARK: Listeners

    private func tellsListeners() throws {
        let heard = Heard<Place.Value>()
        let heardToo = Heard<Place.Value>()
        let tokens = [listen(heard), listen(heardToo)]
        try storage.storeValue(first, key: key)
        try heard.expect([first], "the first write")
        try storage.storeValue(second, key: key)
        try storage.storeValue(second, key: otherKey)
        try storage.storeValue(first, key: key)
        for heard in [heard, heardToo] { try heard.expect([first, second, first], "all writes") }
        for token in tokens { token.dispose() }
    }

    private func tellsOfRemovals() throws {
        try storage.storeValue(first, key: key)
        let heard = Heard<Place.Value>()
        let token = listen(heard)
        try storage.removeValue(for: key)
        try heard.expect([nil], "the removal")
        token.dispose()
    }

    private func tellsOnlyWhatIsNew() throws {
        try storage.storeValue(first, key: key)
        let heard = Heard<Place.Value>()
        let token = listen(heard)
        _ = try read()
        try heard.expect([], "no value")
        token.dispose()
    }

    private func letsListenersUseTheKey() throws {
        let heard = Heard<Place.Value>()
        let reads = Heard<Place.Value>()
        let token = storage.addUpdateListener(forKey: key) { [self] value in
            heard.add(value)
            do {
                reads.add(try read())
                if value == first { try storage.storeValue(second, key: key) }
                if value == second { try storage.removeValue(for: key) }
            } catch {
                heard.fail("\(error)")
            }
        }
        try storage.storeValue(first, key: key)
        try heard.expect([first, second, nil], "the write and its own writes")
        try reads.expect([first, second, nil], "the same values in its own reads")
        try expect(try read(), nil, "the final value")
        token.dispose()
    }

    private func endsWithTheToken() throws {
        let heard = Heard<Place.Value>()
        let heardByOther = Heard<Place.Value>()
        let token = listen(heard)
        let other = listen(heardByOther)
        token.dispose()
        token.dispose()
        _ = listen(heard)
        try storage.storeValue(first, key: key)
        try heard.expect([], "no value after its end")
        try heardByOther.expect([first], "a write after another listener's end")
        other.dispose()
        let own = Locked<Disposable?>(nil)
        let inside = storage.addUpdateListener(forKey: key) { value in
            heard.add(value)
            own.withLock { $0 }?.dispose()
        }
        own.withLock { $0 = inside }
        try storage.storeValue(second, key: key)
        try storage.storeValue(first, key: key)
        try heard.expect([second], "only the value before it ended itself")
        own.withLock { $0.take() }?.dispose()
    }

    private func sharesThePlace() throws {
        guard let another else { return }
        let other = another()
        let heard = Heard<Place.Value>()
        let heardByOther = Heard<Place.Value>()
        let tokens = [
            listen(heard),
            other.addUpdateListener(forKey: key) { heardByOther.add($0) },
        ]
        try storage.storeValue(first, key: key)
        try expect(try other.retrieveValue(for: key), first, "the value that another storage reads")
        heardByOther.wait(for: 1)
        try other.storeValue(second, key: key)
        try expect(try read(), second, "the value read after another storage's write")
        heard.wait(for: 2)
        try other.removeValue(for: key)
        heard.wait(for: 3)
        heardByOther.wait(for: 3)
        for heard in [heard, heardByOther] {
            try heard.expect([first, second, nil], "the writes of both storages")
        }
        for token in tokens { token.dispose() }
    }

    func read() throws -> Place.Value? { try storage.retrieveValue(for: key) }

    func listen(_ heard: Heard<Place.Value>) -> Disposable {
        storage.addUpdateListener(forKey: key) { heard.add($0) }
    }

    func expect(_ found: Place.Value?, _ expected: Place.Value?, _ what: String) throws {
        if found != expected {
            throw Broken(
                description: "\(what) is \(described(found)) instead of \(described(expected))"
            )
        }
    }
}

/// Returns the description of a value, or "nil".
private func described(_ value: (some Any)?) -> String { value.map { "\($0)" } ?? "nil" }

/// The values that a listener received.
final class Heard<Value: Sendable & Equatable>: Sendable {
    private struct State {
        var values: [Value?] = []
        var failure: String?
    }

    private let state = Locked(State())
    private let told = DispatchSemaphore(value: 0)

    var last: Value?? { state.withLock { $0.values.last } }

    func add(_ value: Value?) {
        state.withLock { $0.values.append(value) }
        told.signal()
    }

    func fail(_ reason: String) { state.withLock { $0.failure = $0.failure ?? reason } }

    /// Waits until the listener has received a number of values; the check's deadline limits the
    /// wait.
    func wait(for count: Int) {
        while state.withLock({ $0.values.count }) < count { told.wait() }
    }

    /// The time, in seconds, that a listener's call may take to arrive after its write returns,
    /// because another thread may make the call.
    private static var grace: Double { 2 }

    func expect(_ expected: [Value?], _ what: String) throws {
        while state.withLock({ $0.values.count < expected.count && $0.failure == nil }) {
            guard told.wait(timeout: .now() + Self.grace) == .success else { break }
        }
        let (values, failure) = state.withLock { ($0.values, $0.failure) }
        if let failure {
            throw StorageConformance.Failure(promise: .tellsListeners, reason: failure)
        }
        guard values == expected else {
            let list = "[\(values.map(described).joined(separator: ", "))]"
            throw HeardSomethingElse(
                description: "a listener should have received \(what), but received \(list)"
            )
        }
    }
}

private struct HeardSomethingElse: Error, CustomStringConvertible {
    let description: String
}
