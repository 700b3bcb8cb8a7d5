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
        /// What keeps values in memory that could not be stored.
        var unsaved: [Key: any Sendable] = [:]
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
    func keepUnsaved(_ keeper: (any Sendable)?, forKey key: Key) {
        // Released after the lock.
        let displaced = state.withLock { state -> (any Sendable)? in
            if state.unsaved.isEmpty, keeper == nil { return nil }
            defer { state.unsaved[key] = keeper }
            return state.unsaved[key]
        }
        withExtendedLifetime(displaced) {}
    }
}
