import FlatCache

extension PersistentObject {
    /// Two versions of one object: an unsaved one, and one that somebody else has stored since.
    public struct Conflict: Sendable {
        /// The object in memory, which was to be saved; `nil` if what is stored was to be removed.
        public let unsaved: Object?

        /// What somebody else has stored; `nil` if it has been removed.
        public let external: Object?

        /// What both come from: what was stored when the object was last loaded or saved; `nil` if
        /// there was nothing, or nothing that could be understood.
        public let base: Object?
    }

    /// What a save does when somebody else has changed what is stored since the object was last
    /// loaded or saved.
    public enum ConflictRule: Sendable {
        /// The object in memory replaces what is stored.
        case latestWins

        /// What is stored replaces the object in memory.
        case keepExternal

        /// What a closure makes of the two replaces both.
        ///
        /// ## Concurrency
        /// The closure is called on the thread that saves, while the place is locked. It may use
        /// the same object: what it sets is overwritten by what it returns, and a save from inside
        /// does nothing, since there is one going on. It must not wait for another thread that uses
        /// the object. It is called again if somebody, such as another process, has changed what is
        /// stored in the meantime.
        case merge(@Sendable (Conflict) -> Object?)

        /// A `Mergeable` object merges: what is stored, with the one in memory. Of others, and if
        /// there is none on one of the two sides, the latest wins.
        case automatic

        /// What is to be stored, or that nothing is.
        enum Outcome {
            case store(Object?)
            case discard
        }

        func resolve(_ conflict: Conflict) -> Outcome {
            switch self {
            case .latestWins: return .store(conflict.unsaved)
            case .keepExternal: return .discard
            case .merge(let merge): return .store(merge(conflict))
            case .automatic:
                guard let external = conflict.external, let unsaved = conflict.unsaved else {
                    return .store(conflict.unsaved)
                }
                guard let mergeable = external as? any Mergeable else { return .store(unsaved) }
                return .store(Self.merge(mergeable, unsaved) ?? unsaved)
            }
        }

        private static func merge<Value: Mergeable>(_ external: Value, _ unsaved: Object) -> Object?
        {
            // The two may be of different subclasses.
            (unsaved as? Value).flatMap { external.merged(with: $0) as? Object }
        }
    }
}
