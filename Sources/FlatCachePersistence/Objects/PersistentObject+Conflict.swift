import FlatCache

extension PersistentObject {
    /// A conflict between the unsaved object and an object that another writer has stored since the
    /// last load or save.
    ///
    /// ```swift
    /// let rule = PersistentObject<Order>.ConflictRule.merge { conflict in
    ///     // A note that only the other writer has changed is the newer one.
    ///     let noteIsMine = conflict.unsaved?.note != conflict.base?.note
    ///     return noteIsMine ? conflict.unsaved : conflict.external
    /// }
    /// ```
    public struct Conflict: Sendable {
        /// The object in memory, or `nil` if the save would remove the stored object.
        public let unsaved: Object?

        /// The object that another writer has stored, or `nil` if it was removed.
        public let external: Object?

        /// The common ancestor: the object that was stored when the object was last loaded or
        /// saved, or `nil` if nothing was stored, or if the stored data was corrupt or couldn't be
        /// read.
        public let base: Object?
    }

    /// A rule that resolves a conflict.
    ///
    /// A save finds a conflict if another writer has changed the stored object since the last load
    /// or save.
    ///
    /// ```swift
    /// let draft = PersistentObject<Order>(
    ///     file: draftFile,
    ///     conflictRule: .merge { conflict in
    ///         guard var merged = conflict.external else { return conflict.unsaved }
    ///         merged.note = conflict.unsaved?.note ?? merged.note
    ///         return merged
    ///     }
    /// )
    /// ```
    public enum ConflictRule: Sendable {
        /// The object in memory replaces the stored object, and the other writer's changes are
        /// lost.
        case latestWins

        /// The stored object replaces the object in memory, and the unsaved changes are lost.
        ///
        /// Listeners receive the event ``Update/Event/reverted``.
        case keepExternal

        /// The result of a closure replaces both objects.
        ///
        /// ## Concurrency
        /// The object calls the closure on the saving thread, while the stored object is locked.
        /// The closure may use the same persistent object: its result overwrites any object that it
        /// sets, and a save inside the closure does nothing. It must not wait for another thread
        /// that uses the persistent object. If the stored object changes during the call, for
        /// example because another process writes, the object calls the closure again, up to eight
        /// times per save.
        case merge(@Sendable (Conflict) -> Object?)

        /// If the objects are `Mergeable`, the save stores the result of merging the object in
        /// memory into the stored object. Otherwise, or if one of the two is missing, the object in
        /// memory replaces the stored object.
        case automatic

        /// The decision of a rule: store an object, or discard the unsaved changes.
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
