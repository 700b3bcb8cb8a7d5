import FlatCache

/// The state of a storage's keys that containers need between accesses, since each access creates
/// a new container.
final class KeyValueNotes<Key: Hashable & Sendable>: Sendable {
    private struct State {
        /// The last reported error of each key, until an access succeeds.
        var told: [Key: String] = [:]
        /// The keys that were claimed for two types, which has been reported.
        var conflicts: Set<Key> = []
        /// The keys whose old value has been moved, or doesn't exist.
        var moved: Set<Key> = []
        /// The slots that keep unsaved values in memory.
        var unsaved: [Key: any UnsavedKeeper] = [:]
    }

    private let state = Locked(State())

    /// Notes an error.
    ///
    /// - Returns: A Boolean value that indicates whether the error must be reported.
    func noteError(_ error: PersistenceError, forKey key: Key) -> Bool {
        let description = error.description
        return state.withLock { $0.told.updateValue(description, forKey: key) != description }
    }

    /// Returns a Boolean value that indicates whether a key had an error, and no success since.
    func hasError(forKey key: Key) -> Bool { state.withLock { $0.told[key] != nil } }

    func noteSuccess(forKey key: Key) {
        state.withLock { state in
            if !state.told.isEmpty { state.told[key] = nil }
        }
    }

    /// Notes that a key was claimed for two types.
    ///
    /// - Returns: A Boolean value that indicates whether the conflict is new.
    func noteConflict(forKey key: Key) -> Bool {
        state.withLock { $0.conflicts.insert(key).inserted }
    }

    func hasMoved(_ key: Key) -> Bool { state.withLock { $0.moved.contains(key) } }

    func noteMoved(_ key: Key) { state.withLock { _ = $0.moved.insert(key) } }

    /// Keeps a slot while its value could not be stored; `nil` releases the slot.
    func keepUnsaved(_ keeper: (any UnsavedKeeper)?, forKey key: Key) {
        // The displaced slot is released outside of the lock.
        let displaced = state.withLock { state -> (any UnsavedKeeper)? in
            if state.unsaved.isEmpty, keeper == nil { return nil }
            defer { state.unsaved[key] = keeper }
            return state.unsaved[key]
        }
        withExtendedLifetime(displaced) {}
    }

    /// Tries again to store a value that could not be stored, if there is one.
    func saveAgain(forKey key: Key) {
        let keeper = state.withLock { $0.unsaved.isEmpty ? nil : $0.unsaved[key] }
        guard let keeper else { return }
        keeper.saveAgain()
        if !keeper.isUnsaved { keepUnsaved(nil, forKey: key) }
    }
}

/// A slot that keeps a value in memory that could not be stored.
protocol UnsavedKeeper: Sendable {
    var isUnsaved: Bool { get }

    /// Tries again to store the value.
    func saveAgain()
}

extension CodedSlot: UnsavedKeeper {}
