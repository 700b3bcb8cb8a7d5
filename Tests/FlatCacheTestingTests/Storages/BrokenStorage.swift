import FlatCache
import FlatCachePersistence
import Foundation

/// A storage that is correct except for one flaw.
final class BrokenStorage: Storage {
    enum Flaw: CaseIterable {
        case none
        case storesNothing
        case keepsOlderValue
        case ignoresRemovals
        case throwsForMissingValues
        case confusesKeys
        case notifiesNoListener
        case notifiesOnlyFirstListener
        case notifiesOfOtherKeys
        case hidesRemovals
        case replaysCurrentValue
        case notifiesUnderLock
        case ignoresTokens
        case endsAllListenersWithOneToken
        case overlapsListenerCalls
        case doesNotShare
        case losesValuesBriefly
        case changesSilently
    }

    private struct Listener {
        let number: Int
        let key: String
        let call: @Sendable (Int?) -> Void
    }

    private struct State {
        var values: [String: Int] = [:]
        var listeners: [Listener] = []
        var lastNumber = 0
        var ended: Set<Int> = []
    }

    private let flaw: Flaw
    private let state = Locked(State())
    private let gate = NSLock()
    private let leaked = Locked<[Disposable]>([])
    /// Newer values than those of `base`.
    private let silent = Locked<[String: Int?]>([:])
    private let base = InMemoryStorage<String, Int>()

    let announcesEveryChange: Bool

    init(_ flaw: Flaw, announcesEveryChange: Bool = true) {
        self.flaw = flaw
        self.announcesEveryChange = announcesEveryChange
    }

    /// Changes a value by a method that `Storage` doesn't declare.
    func change(_ value: Int?, _ key: String) throws {
        if flaw == .changesSilently {
            silent.withLock { $0[key] = .some(value) }
        } else if let value {
            try storeValue(value, key: key)
        } else {
            try removeValue(for: key)
        }
    }

    struct Missing: Error {}

    func storeValue(_ value: Int, key: String) throws {
        switch flaw {
        case .storesNothing: return
        case .keepsOlderValue where base.keys.contains(key): return
        case .losesValuesBriefly:
            base.removeValue(for: key)
            giveOtherThreadsTime()
            base.storeValue(value, key: key)
        case .confusesKeys: base.storeValue(value, key: "all")
        case .notifiesUnderLock:
            gate.lock()
            defer { gate.unlock() }
            base.storeValue(value, key: key)
        case .overlapsListenerCalls:
            base.storeValue(value, key: key)
            call(value, key)
        default: base.storeValue(value, key: key)
        }
    }

    func removeValue(for key: String) throws {
        switch flaw {
        case .ignoresRemovals: return
        case .throwsForMissingValues where !base.keys.contains(key): throw Missing()
        case .confusesKeys: base.removeValue(for: "all")
        default: base.removeValue(for: key)
        }
    }

    func retrieveValue(for key: String) throws -> Int? {
        if let value = silent.withLock({ $0[key] }) { return value }
        // A listener that reads the value is thus in the middle of its call.
        if flaw == .overlapsListenerCalls { giveOtherThreadsTime() }
        return try base.retrieveValue(for: flaw == .confusesKeys ? "all" : key)
    }

    func addUpdateListener(
        forKey key: String,
        updateListener: @escaping @Sendable (Int?) -> Void
    ) -> Disposable {
        let listened = flaw == .confusesKeys ? "all" : key
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        switch flaw {
        case .notifiesNoListener: return Disposable {}
        case .notifiesOnlyFirstListener where number % 2 == 0: return Disposable {}
        case .overlapsListenerCalls: return add(key, updateListener)
        case .notifiesOfOtherKeys:
            let tokens = ["a", "b"].map {
                base.addUpdateListener(forKey: $0, updateListener: updateListener)
            }
            return Disposable { tokens.forEach { $0.dispose() } }
        case .replaysCurrentValue: updateListener(try? base.retrieveValue(for: key))
        case .endsAllListenersWithOneToken:
            let token = base.addUpdateListener(forKey: key) { [self] value in
                if state.withLock({ $0.ended.isEmpty }) { updateListener(value) }
            }
            return Disposable { [self] in
                state.withLock { _ = $0.ended.insert(number) }
                token.dispose()
            }
        case .ignoresTokens:
            let token = base.addUpdateListener(forKey: key, updateListener: updateListener)
            leaked.withLock { $0.append(token) }
            return Disposable {}
        default: break
        }
        return base.addUpdateListener(forKey: listened) { [flaw] value in
            if flaw == .hidesRemovals, value == nil { return }
            updateListener(value)
        }
    }

    private func add(
        _ key: String,
        _ call: @escaping @Sendable (Int?) -> Void
    ) -> Disposable {
        let number = state.withLock { state in
            state.lastNumber += 1
            let listener = Listener(number: state.lastNumber, key: key, call: call)
            state.listeners.append(listener)
            return state.lastNumber
        }
        return Disposable { [self] in
            state.withLock { $0.listeners.removeAll { $0.number == number } }
        }
    }

    private func call(_ value: Int?, _ key: String) {
        let listeners = state.withLock { $0.listeners }
        for listener in listeners where listener.key == key { listener.call(value) }
    }

    /// Makes it likely that another thread sees the state in which the flaw shows.
    private func giveOtherThreadsTime() { usleep(1_000) }
}
