import FlatCache

/// What is remembered of the keys of a storage, for those who use them without staying: containers
/// are made anew at each access.
final class KeyValueNotes<Key: Hashable & Sendable>: Sendable {
    private struct State {
        /// The last error that was told of a key, until there is none.
        var told: [Key: String] = [:]
        /// The keys that have been claimed for two types, which has been told.
        var conflicts: Set<Key> = []
        /// The keys whose old value has been moved, or need not be.
        var moved: Set<Key> = []
        /// The slots that keep values in memory that could not be stored.
        var unsaved: [Key: any UnsavedKeeper] = [:]
    }

    private let state = Guarded(State())

    /// Notes an error; returns whether it is to be told.
    func noteError(_ error: PersistenceError, forKey key: Key) -> Bool {
        let description = error.description
        return state.withLock { $0.told.updateValue(description, forKey: key) != description }
    }

    /// Whether an error has been told, and nothing has been all right since.
    func hasError(forKey key: Key) -> Bool { state.withLock { $0.told[key] != nil } }

    func noteSuccess(forKey key: Key) {
        state.withLock { state in
            if !state.told.isEmpty { state.told[key] = nil }
        }
    }

    /// Notes that a key was claimed for two types; returns whether that is new.
    func noteConflict(forKey key: Key) -> Bool {
        state.withLock { $0.conflicts.insert(key).inserted }
    }

    func hasMoved(_ key: Key) -> Bool { state.withLock { $0.moved.contains(key) } }

    func noteMoved(_ key: Key) { state.withLock { _ = $0.moved.insert(key) } }

    /// Keeps something for as long as a value could not be stored; `nil` when it could.
    func keepUnsaved(_ keeper: (any UnsavedKeeper)?, forKey key: Key) {
        // Released after the lock.
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
