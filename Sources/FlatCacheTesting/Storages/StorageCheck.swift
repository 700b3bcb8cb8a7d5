import Dispatch
import FlatCache
import FlatCachePersistence

/// One run of
/// ``StorageConformance/check(_:key:otherKey:values:another:change:deadline:)``.
struct StorageCheck<Base: Storage>: Sendable where Base.Value: Equatable {
    let storage: Base
    let key: Base.Key
    let otherKey: Base.Key
    let first: Base.Value
    let second: Base.Value
    let another: (@Sendable () -> Base)?
    let change: (@Sendable (Base.Value?, Base.Key) throws -> Void)?

    /// The time, in seconds, that a listener's call may take to arrive.
    var patience = 10.0

    /// Checks requirements one after another, up to one whose check takes longer than a deadline.
    ///
    /// - Parameter deadline: The time that the check of each requirement may take, in seconds.
    func run(
        _ requirements: [StorageConformance.Requirement] = StorageConformance.Requirement.allCases,
        deadline: Double
    ) -> [StorageConformance.Failure] {
        var failures: [StorageConformance.Failure] = []
        for requirement in requirements {
            let outcome = Locked<String?>(nil)
            let finished = DispatchSemaphore(value: 0)
            let thread = DispatchQueue(label: "FlatCacheTesting.StorageConformance")
            thread.async {
                do {
                    try check(requirement)
                } catch {
                    outcome.withLock { $0 = "\(error)" }
                }
                finished.signal()
            }
            guard finished.wait(timeout: .now() + deadline) == .success else {
                let reason = "it didn't finish within \(deadline) seconds"
                // The blocked check holds locks that the remaining checks would wait for.
                return failures + [
                    StorageConformance.Failure(requirement: requirement, reason: reason)
                ]
            }
            if let reason = outcome.withLock({ $0 }) {
                failures.append(
                    StorageConformance.Failure(requirement: requirement, reason: reason)
                )
            }
        }
        return failures
    }

    private func check(_ requirement: StorageConformance.Requirement) throws {
        try clear()
        switch requirement {
        case .storesValues: try checkStoring()
        case .removesValues: try checkRemoving()
        case .allowsRemovalOfMissingValues: try storage.removeValue(for: key)
        case .separatesKeys: try checkKeys()
        case .notifiesListeners: try checkNotifications()
        case .notifiesOfRemovals: try checkNotificationsOfRemovals()
        case .skipsExistingValues: try checkExistingValue()
        case .allowsReentrantListeners: try checkReentrantListener()
        case .endsListeningWithToken: try checkTokens()
        case .serializesListenerCalls: try checkListenerCallsAreSerial()
        case .sharesChanges: try checkOtherStorage()
        case .announcesEveryChange: try checkAnnouncements()
        case .supportsConcurrentAccess: try checkConcurrentAccess()
        }
        try clear()
    }

    private func clear() throws {
        for key in [key, otherKey] where try storage.retrieveValue(for: key) != nil {
            try storage.removeValue(for: key)
        }
    }

    // MARK: Values

    private func checkStoring() throws {
        try storage.storeValue(first, key: key)
        try expect(try read(), first, "the value read after the first write")
        try storage.storeValue(second, key: key)
        try expect(try read(), second, "the value read after the second write")
    }

    private func checkRemoving() throws {
        try storage.storeValue(first, key: key)
        try storage.removeValue(for: key)
        try expect(try read(), nil, "the value read after the removal")
    }

    private func checkKeys() throws {
        try storage.storeValue(first, key: key)
        try storage.storeValue(second, key: otherKey)
        try expect(try read(), first, "the first key's value")
        try storage.removeValue(for: key)
        try expect(
            try storage.retrieveValue(for: otherKey),
            second,
            "the second key's value after the removal of the first key's value"
        )
    }

    // MARK: Steps

    func read() throws -> Base.Value? { try storage.retrieveValue(for: key) }

    func makeReceivedValues() -> ReceivedValues<Base.Value> {
        ReceivedValues(patience: patience)
    }

    /// Adds a listener to the first key.
    func listen(_ received: ReceivedValues<Base.Value>) -> Disposable {
        storage.addUpdateListener(forKey: key) { received.append($0) }
    }

    func expect(_ found: Base.Value?, _ expected: Base.Value?, _ subject: String) throws {
        guard found != expected else { return }
        throw UnmetRequirement(
            "\(subject) is \(UnmetRequirement.text(found)) instead of \(UnmetRequirement.text(expected))"
        )
    }
}
