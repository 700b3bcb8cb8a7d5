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
    public struct ConflictRule: Sendable {
        /// A closure that returns the object to store, or `nil` to keep the stored one.
        let resolve: (@Sendable (Conflict) -> Object?)?

        /// The object in memory replaces the stored object, and the other writer's changes are
        /// lost.
        public static var latestWins: ConflictRule { ConflictRule { $0.unsaved } }

        /// The stored object replaces the object in memory, and the unsaved changes are lost.
        ///
        /// Listeners receive the event ``Update/Event/reverted``.
        public static var keepExternal: ConflictRule { ConflictRule(resolve: nil) }

        /// The result of a closure replaces both objects.
        ///
        /// If the result equals the stored object, the save writes nothing.
        ///
        /// ## Concurrency
        /// The object calls the closure on the saving thread, while the stored object is locked.
        /// The closure may use the same persistent object: its result overwrites any object that it
        /// sets, and a save inside the closure does nothing. It must not wait for another thread
        /// that uses the persistent object. If the stored object changes during the call, for
        /// example because another process writes, the object calls the closure again, up to eight
        /// times per save.
        public static func merge(
            _ merge: @escaping @Sendable (Conflict) -> Object?
        ) -> ConflictRule {
            ConflictRule(resolve: merge)
        }

        /// The object in memory is merged into the stored object.
        ///
        /// If the objects aren't `Mergeable`, or if one of the two is missing, the object in memory
        /// replaces the stored object.
        public static var automatic: ConflictRule { ConflictRule { $0.merged } }
    }
}

extension PersistentObject.Conflict {
    fileprivate var merged: Object? {
        guard unsaved != nil, let external = external as? any Mergeable else { return unsaved }
        return merged(into: external)
    }

    private func merged<Value: Mergeable>(into external: Value) -> Object? {
        // The two may be of different subclasses.
        guard let unsaved = unsaved as? Value else { return unsaved }
        return external.merged(with: unsaved) as? Object
    }
}
